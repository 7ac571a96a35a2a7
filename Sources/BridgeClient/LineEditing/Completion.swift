import BridgeProtocol

/// Completes names of a page's objects, by asking the page.
public struct Completion: Sendable, Equatable {
    /// The object whose members are meant, such as `document.body`; nil for the global ones.
    let object: String?
    /// What is typed of the name.
    public let prefix: String

    /// Nil where nothing at the end of the text can be completed: only names and dots are looked at, so that nothing
    /// is called.
    public init?(of text: String) {
        let path = text.reversed().prefix { $0.isLetter || $0.isNumber || "_$.".contains($0) }.reversed()
        let parts = String(path).split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, !path.isEmpty,
            parts.dropLast().allSatisfy({ $0.first.map { !$0.isNumber } ?? false })
        else { return nil }
        prefix = String(last)
        object = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
    }

    /// A script whose value is the names that fit.
    public var script: String {
        var writer = JSONWriter()
        writer.string(prefix)
        return """
            (() => {
              const names = new Set()
              try {
                for (let o = Object(\(object ?? "globalThis")); o; o = Object.getPrototypeOf(o))
                  for (const name of Object.getOwnPropertyNames(o))
                    if (name.startsWith(\(writer.text)) && /^[\\p{L}_$][\\p{L}\\p{N}_$]*$/u.test(name)) names.add(name)
              } catch {}
              return [...names].sort().slice(0, 200)
            })()
            """
    }

    /// What to type for the user: as far as all names agree.
    public func rest(_ names: [String]) -> String {
        guard var common = names.first else { return "" }
        for name in names { common = String(zip(common, name).prefix { $0 == $1 }.map(\.0)) }
        return String(common.dropFirst(prefix.count))
    }
}
