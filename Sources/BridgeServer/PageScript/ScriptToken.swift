/// A word of JavaScript, as `ScriptTokenizer` finds it. Comments and white space are none.
struct ScriptToken {
    enum Kind {
        /// A keyword, too.
        case name
        /// `#name`
        case privateName
        case punctuator
        /// A number, a string, a regular expression, or a marker of ours (`/* bridged:… */`).
        case literal
        /// A template's text, from the backtick or brace that begins it to the one that ends it.
        case template
    }

    let kind: Kind
    var text: String
    /// Whether the line break in front of it has to stay, because it may end a statement.
    let breaksLine: Bool

    /// Whether what follows is inside of it: `(`, `[`, `{`, or a template's `${`.
    var opens: Bool {
        switch kind {
        case .punctuator: text == "(" || text == "[" || text == "{"
        case .template: text.hasSuffix("${")
        default: false
        }
    }

    var closes: Bool {
        switch kind {
        case .punctuator: text == ")" || text == "]" || text == "}"
        case .template: text.hasPrefix("}")
        default: false
        }
    }

    func isWord(_ word: String) -> Bool { kind == .name && text == word }

    /// Whether something has to follow: an operator, or a bracket that opens.
    var isOpen: Bool { opens || kind == .punctuator && !Self.ends.contains(text) }

    private static let ends: Set = [")", "]", "}", "++", "--"]
}

extension [ScriptToken] {
    /// The program, with a space or a line break only where one is needed.
    var program: String {
        var text = ""
        var last: ScriptToken?
        for token in self {
            if token.breaksLine {
                text += "\n"
            } else if let last, last.wouldJoin(token) {
                text += " "
            }
            text += token.text
            last = token
        }
        return text
    }
}

extension ScriptToken {
    fileprivate func wouldJoin(_ next: ScriptToken) -> Bool {
        guard let end = text.utf8.last, let start = next.text.utf8.first else { return false }
        return end.isScriptName && start.isScriptName || end == start && "+-/".utf8.contains(end)
    }
}

extension UInt8 {
    /// A letter, a digit, `_` or `$`. Our scripts have no others in names.
    var isScriptName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: false
        }
    }
}
