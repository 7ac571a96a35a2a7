/// The greatest lengths, in bytes of UTF-8, of the texts with which a page describes itself.
///
/// The daemon stores these texts, and repeats some of them in every record of the page. A name that is too long is an
/// error, because its beginning would be another name. A text that only people read is cut.
public enum PageText {
    /// The id of a document, which is a UUID.
    public static let document = 64
    public static let webView = 200
    public static let origin = 1_024
    /// `readyState`, `visibility` and the `level` of a console entry.
    public static let word = 32
    /// The name of a handler, an interface object or a method.
    public static let handler = 256
    /// The name of a content world.
    public static let world = 256
    /// The id of a request, if it is a string.
    public static let requestID = 256
    public static let url = 8_192
    /// A page's URL in records about its messages. Records about the page itself have the whole URL.
    public static let repeatedURL = 1_024
    /// A screen's URL or path in records about the stacks, which have up to fifty of them.
    public static let repeatedName = 256
    public static let title = 1_024
    public static let userAgent = 1_024
    /// The text or the stack of a console entry.
    public static let entry = 65_536

    /// The beginning of a text that is longer than `limit`, with `…` at the end; otherwise the text itself.
    public static func cut(_ text: String, to limit: Int) -> String {
        // A native string knows its length, so this costs nothing for the usual text.
        guard text.utf8.count > limit else { return text }
        // The cut may be within a character, whose beginning becomes U+FFFD.
        return String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "…"
    }

    /// A URL without the name and the password of its user (RFC 3986, section 3.2.1), which a log must not have.
    public static func withoutUserInfo(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
        guard let end = authority.lastIndex(of: "@") else { return url }
        return String(url[..<scheme.upperBound] + url[url.index(after: end)...])
    }

    /// - Throws: `invalidParams` if the name of a content world is empty or too long.
    public static func check(world name: String?) throws(RPCError) {
        guard let name else { return }
        guard !name.isEmpty else { throw .invalidParams(at: "/world", "expected a name, found an empty string") }
        try check(name, world, at: "/world")
    }

    /// - Throws: `invalidParams` if a name is too long.
    static func check(_ name: String, _ limit: Int, at place: String) throws(RPCError) {
        guard name.utf8.count > limit else { return }
        throw .invalidParams(at: place, "expected at most \(limit) bytes, found \(name.utf8.count)")
    }

    /// - Throws: `invalidParams` if a name has a control character, which people can neither type nor see.
    static func checkIsVisible(_ name: String, at place: String) throws(RPCError) {
        guard name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        throw .invalidParams(at: place, "expected a name without control characters")
    }
}
