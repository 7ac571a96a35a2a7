/// A pattern of WebKit for the URLs of documents in which a user script runs, such as `https://*.example.com/*`.
///
/// The daemon sends patterns as the regular expressions that scripts in pages need (`UserScriptPattern`).
struct UserContentPattern: Equatable {
    let text: String

    /// A pattern that no document has.
    private static let none = "none://none/"

    init(expression: String) {
        var rest = Substring(expression)
        guard rest.first == "^", rest.last == "$" else {
            text = UserContentPattern.none
            return
        }
        rest = rest.dropFirst().dropLast()
        var text = ""
        if rest.hasPrefix("https?://") {
            text = "*://"
            rest = rest.dropFirst("https?://".count)
        }
        while let character = rest.first {
            if rest.hasPrefix(#"(.*\.)?"#) {
                text += "*."
                rest = rest.dropFirst(#"(.*\.)?"#.count)
            } else if rest.hasPrefix(".*") {
                text += "*"
                rest = rest.dropFirst(2)
            } else {
                if character == "\\" { rest = rest.dropFirst() }
                text += rest.prefix(1)
                rest = rest.dropFirst()
            }
        }
        self.text = text
    }
}
