/// What each token of a script is for: as much of the syntax as it takes to tell variables from properties.
struct ScriptOutline {
    enum Role {
        case variable
        case property
        /// Both in one: `{ name }`
        case shorthand
        /// Keywords and all that is not a name.
        case other
    }

    private enum Bracket { case block, classBody, object, other }

    let tokens: [ScriptToken]
    private(set) var roles: [Role] = []
    /// For each opening bracket, where its closing one is.
    private(set) var ends: [Int: Int] = [:]
    /// The bodies of classes.
    private(set) var classes: [Range<Int>] = []
    /// Where a statement of the outermost function, or a class member, begins.
    private(set) var unitStarts: [Int] = []

    private var open: [(bracket: Bracket, at: Int)] = []
    private var isInClassHead = false

    init(_ tokens: [ScriptToken]) {
        self.tokens = tokens
        for index in tokens.indices {
            if tokens[index].closes { close(at: index) }
            if tokens[index].breaksLine, open.count == 2 || open.last?.bracket == .classBody {
                unitStarts.append(index)
            }
            roles.append(role(at: index))
            if tokens[index].isWord("class") { isInClassHead = true }
            if tokens[index].opens { open.append((bracket(at: index), index)) }
        }
    }

    /// Words that have a meaning of their own, somewhere or everywhere.
    static let keywords: Set<String> = [
        "arguments", "async", "await", "break", "case", "catch", "class", "const", "constructor", "continue", "default",
        "delete", "do", "else", "extends", "false", "finally", "for", "function", "get", "if", "in", "instanceof",
        "let", "new",
        "null", "of", "return", "set", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
        "undefined", "var", "void", "while", "with", "yield",
    ]

    /// What a block stands behind.
    private static let blockHeads: Set = [")", "=>", "{", "}", ";", "else", "try", "catch", "finally", "do", "static"]
    private static let modifiers: Set = ["get", "set", "static", "async"]

    private mutating func close(at index: Int) {
        guard let last = open.popLast() else { return }
        ends[last.at] = index
        if last.bracket == .classBody { classes.append(last.at..<index) }
    }

    private mutating func bracket(at index: Int) -> Bracket {
        guard tokens[index].text == "{" else { return .other }
        if isInClassHead {
            isInClassHead = false
            return .classBody
        }
        guard index > 0, !tokens[index].breaksLine else { return .block }
        return Self.blockHeads.contains(tokens[index - 1].text) ? .block : .object
    }

    private func role(at index: Int) -> Role {
        let token = tokens[index]
        guard token.kind == .name, index > 0, index + 1 < tokens.count else { return .other }
        let last = tokens[index - 1].text
        let next = tokens[index + 1].text
        if last == "." || last == "?." { return .property }
        if Self.keywords.contains(token.text) { return .other }
        let isAccessor = Self.modifiers.contains(last) && next == "("
        switch open.last?.bracket {
        case .classBody where isAccessor || token.breaksLine || last == "{": return .property
        case .object where isAccessor: return .property
        case .object where last == "{" || last == ",":
            if next == ":" || next == "(" { return .property }
            return next == "," || next == "}" || next == "=" ? .shorthand : .variable
        default: return .variable
        }
    }
}
