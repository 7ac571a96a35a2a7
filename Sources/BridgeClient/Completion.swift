import BridgeProtocol

/// Completes the names of objects in a page, and of their members. The caller runs ``script`` in the page to get the
/// names.
public struct Completion: Sendable, Equatable {
    /// The object whose members are completed, such as `document.body`; nil for globals.
    let object: String?
    /// The part of the name that was typed.
    public let prefix: String

    /// Finds the name to complete at the end of a text. It completes only names and dots, so that completion calls no
    /// functions of the page, except getters.
    /// - Returns: nil if there is nothing to complete.
    public init?(of text: String) {
        let path = text.reversed().prefix { $0.isLetter || $0.isNumber || "_$.".contains($0) }.reversed()
        let parts = String(path).split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, !path.isEmpty,
            parts.dropLast().allSatisfy({ $0.first.map { !$0.isNumber } ?? false })
        else { return nil }
        prefix = String(last)
        object = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
    }

    /// A script that returns the names with this prefix.
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

    /// Returns the text to insert: the characters after the prefix that all names have in common.
    public func rest(_ names: [String]) -> String {
        guard var common = names.first else { return "" }
        for name in names { common = String(zip(common, name).prefix { $0 == $1 }.map(\.0)) }
        return String(common.dropFirst(prefix.count))
    }
}
