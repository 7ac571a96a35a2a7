/// A part of a generated script. Lists can lose items, which is how a difference becomes smaller.
indirect enum ScriptPart: Sendable, Hashable {
    case text(String)
    case list(open: String, separator: String, close: String, items: [ScriptPart])

    static func statements(_ items: [ScriptPart]) -> ScriptPart {
        .list(open: "", separator: "; ", close: "", items: items)
    }

    var source: String {
        switch self {
        case .text(let text): text
        case .list(let open, let separator, let close, let items):
            open + items.map(\.source).joined(separator: separator) + close
        }
    }

    /// Scripts that are smaller by one step, the smallest first. Some are no valid scripts; these end alike everywhere.
    var reductions: [ScriptPart] {
        guard case .list(let open, let separator, let close, let items) = self else { return [] }
        let shorter = items.indices.map { index in
            var rest = items
            rest.remove(at: index)
            return ScriptPart.list(open: open, separator: separator, close: close, items: rest)
        }
        let inner = items.indices.flatMap { index in
            items[index].reductions.map { reduced in
                var changed = items
                changed[index] = reduced
                return ScriptPart.list(open: open, separator: separator, close: close, items: changed)
            }
        }
        let size = source.utf8.count
        return (items + shorter + inner).filter { $0.source.utf8.count < size }
            .sorted { $0.source.utf8.count < $1.source.utf8.count }
    }
}

extension ScriptPart: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self = .text(value) }
}
