/// Takes JavaScript apart into tokens (ECMA-262, section 12), as far as our own scripts go: a `/` behind `)`, `]` or `}` divides,
/// and statements end at line breaks.
struct ScriptTokenizer {
    private let source: [UInt8]
    private var at = 0
    private var isAfterBreak = false
    private var tokens: [ScriptToken] = []
    /// For each open `{` and `${`: whether it is a template's.
    private var braces: [Bool] = []

    static func tokens(of source: String) -> [ScriptToken] {
        var tokenizer = ScriptTokenizer(source: Array(source.utf8))
        while let byte = tokenizer.peek() { tokenizer.read(byte) }
        return tokenizer.tokens
    }

    private init(source: [UInt8]) { self.source = source }

    private func peek(_ offset: Int = 0) -> UInt8? {
        at + offset < source.count ? source[at + offset] : nil
    }

    private mutating func read(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"):
            isAfterBreak = true
            at += 1
        case UInt8(ascii: " "): at += 1
        case UInt8(ascii: "\""), UInt8(ascii: "'"): append(.literal, length: lengthOfString(byte))
        case UInt8(ascii: "`"): readTemplate()
        case UInt8(ascii: "}") where braces.last == true:
            braces.removeLast()
            readTemplate()
        case UInt8(ascii: "/"): readSlash()
        case UInt8(ascii: "#"): append(.privateName, length: 1 + lengthOfName(from: 1))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): append(.literal, length: lengthOfNumber())
        case _ where byte.isScriptName: append(.name, length: lengthOfName())
        default: readPunctuator()
        }
    }

    private mutating func append(_ kind: ScriptToken.Kind, length: Int) {
        let text = String(decoding: source[at..<min(at + max(length, 1), source.count)], as: UTF8.self)
        let token = ScriptToken(kind: kind, text: text, breaksLine: isAfterBreak && needsBreak(kind, text))
        tokens.append(token)
        at += text.utf8.count
        isAfterBreak = false
    }

    /// Not behind what can't end a statement, nor in front of what can't begin one.
    private func needsBreak(_ kind: ScriptToken.Kind, _ text: String) -> Bool {
        guard let last = tokens.last, !last.isOpen else { return false }
        switch kind {
        case .punctuator: return Self.beginnings.contains(text)
        case .template: return text.hasPrefix("`")
        default: return true
        }
    }

    /// Punctuators that may begin a statement.
    private static let beginnings: Set = ["{", "(", "[", "!", "~", "+", "-", "*", "/", "++", "--", "..."]
    private static let wordsBeforeExpressions: Set = ["return", "typeof", "case", "in", "of", "else"]

    // MARK: Kinds

    private mutating func readSlash() {
        if peek(1) == UInt8(ascii: "/") {
            while let byte = peek(), byte != UInt8(ascii: "\n") { at += 1 }
        } else if peek(1) == UInt8(ascii: "*") {
            let length = lengthOfComment()
            let isMarker = source[at...].starts(with: "/* bridged:".utf8)
            if isMarker { append(.literal, length: length) } else { at += length }
        } else if mayBeginExpression {
            append(.literal, length: lengthOfExpression())
        } else {
            readPunctuator()
        }
    }

    /// A `/` here begins a regular expression.
    private var mayBeginExpression: Bool {
        guard let last = tokens.last else { return true }
        return last.isOpen || last.kind == .name && Self.wordsBeforeExpressions.contains(last.text)
    }

    private mutating func readTemplate() {
        var length = 1
        while let byte = peek(length), byte != UInt8(ascii: "`") {
            if byte == UInt8(ascii: "$"), peek(length + 1) == UInt8(ascii: "{") {
                braces.append(true)
                return append(.template, length: length + 2)
            }
            length += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        append(.template, length: length + 1)
    }

    private mutating func readPunctuator() {
        if peek() == UInt8(ascii: "{") { braces.append(false) }
        if peek() == UInt8(ascii: "}") { _ = braces.popLast() }
        append(.punctuator, length: lengthOfPunctuator())
    }

    /// Longest first. All others have one character.
    private static let punctuators = [
        ">>>=", "...", "===", "!==", "**=", "&&=", "||=", "??=", "<<=", ">>=", ">>>", "=>", "==", "!=", "<=", ">=",
        "&&", "||",
        "??", "?.", "++", "--", "**", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    ]
    .map { Array($0.utf8) }
    /// The second characters of these.
    private static let continuations = Set(punctuators.map { $0[1] })

    // MARK: Lengths

    private func lengthOfPunctuator() -> Int {
        guard let second = peek(1), Self.continuations.contains(second) else { return 1 }
        let rest = source[at...]
        return Self.punctuators.first { $0[0] == rest.first && $0[1] == second && rest.starts(with: $0) }?.count ?? 1
    }

    private func lengthOfName(from start: Int = 0) -> Int {
        var length = start
        while let byte = peek(length), byte.isScriptName { length += 1 }
        return length - start
    }

    private func lengthOfNumber() -> Int {
        let whole = lengthOfName()
        return peek(whole) == UInt8(ascii: ".") ? whole + 1 + lengthOfName(from: whole + 1) : whole
    }

    private func lengthOfString(_ quote: UInt8) -> Int {
        var length = 1
        while let byte = peek(length), byte != quote { length += byte == UInt8(ascii: "\\") ? 2 : 1 }
        return length + 1
    }

    private func lengthOfComment() -> Int {
        var length = 2
        while let byte = peek(length), byte != UInt8(ascii: "*") || peek(length + 1) != UInt8(ascii: "/") {
            length += 1
        }
        return length + 2
    }

    /// A regular expression's, with its flags.
    private func lengthOfExpression() -> Int {
        var length = 1
        var isInClass = false
        while let byte = peek(length), isInClass || byte != UInt8(ascii: "/") {
            if byte == UInt8(ascii: "[") { isInClass = true }
            if byte == UInt8(ascii: "]") { isInClass = false }
            length += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return length + 1 + lengthOfName(from: length + 1)
    }
}
