/// Gives a script's variables and private members short names. A name that is used anywhere without being declared around it
/// stays as it is, and so do properties.
///
/// The script is one function in parentheses. What its body declares has a name of its own in all of the script; what
/// a statement of that body, or a member of a class, declares within itself has one in there, whatever the inner scopes are.
struct ScriptNames {
    private let outline: ScriptOutline
    private var tokens: [ScriptToken]
    private let units: [Range<Int>]
    /// What each unit declares, nested scopes included.
    private let locals: [Set<String>]
    private var globals: Set<String>
    /// Names that stay: keywords, the language's own, and those that a page may see.
    private var kept: Set<String>

    /// - Parameter kept: names of variables that have to stay.
    static func shorten(_ tokens: [ScriptToken], keeping kept: Set<String>) -> [ScriptToken] {
        var names = ScriptNames(ScriptOutline(tokens), keeping: kept)
        names.keepUndeclared()
        names.renamePrivateMembers()
        names.renameVariables()
        return names.tokens
    }

    private init(_ outline: ScriptOutline, keeping kept: Set<String>) {
        self.outline = outline
        tokens = outline.tokens
        let bounds = [0] + outline.unitStarts + [tokens.count]
        let units = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
        self.units = units
        locals = units.map { outline.declarations(in: $0) }
        globals = locals[0].union(units.compactMap { outline.declaration(at: $0.lowerBound) }.joined())
        self.kept = kept.union(ScriptOutline.keywords)
    }

    private mutating func keepUndeclared() {
        for (unit, locals) in zip(units, locals) {
            for index in unit where isVariable(index) {
                let name = tokens[index].text
                if !locals.contains(name), !globals.contains(name) { kept.insert(name) }
            }
        }
    }

    private func isVariable(_ index: Int) -> Bool {
        outline.roles[index] == .variable || outline.roles[index] == .shorthand
    }

    private mutating func renamePrivateMembers() {
        for body in outline.classes {
            let members = body.filter { tokens[$0].kind == .privateName }
            let letters = (Self.letters + Self.capitals).lazy.map { "#\($0)" }
            let names = Dictionary(uniqueKeysWithValues: zip(byFrequency(members), letters))
            for index in members { tokens[index].text = names[tokens[index].text] ?? tokens[index].text }
        }
    }

    private mutating func renameVariables() {
        let used = byFrequency(tokens.indices.filter { isVariable($0) && globals.contains(tokens[$0].text) })
        let names = zip(used, Self.longerNames.lazy.filter { [kept] in !kept.contains($0) })
        let global = Dictionary(uniqueKeysWithValues: names)
        for (unit, locals) in zip(units, locals) {
            let own = locals.subtracting(globals)
            let used = byFrequency(unit.filter { isVariable($0) && own.contains(tokens[$0].text) })
            let letters = Self.letters.lazy.filter { [kept] in !kept.contains($0) }
            let local = Dictionary(uniqueKeysWithValues: zip(used, letters))
            for index in unit where isVariable(index) {
                let name = tokens[index].text
                guard let short = global[name] ?? local[name] else { continue }
                tokens[index].text = outline.roles[index] == .shorthand ? "\(name):\(short)" : short
            }
        }
    }

    /// The texts of these tokens without those that stay, the commonest first; of two as common the earlier one.
    private func byFrequency(_ indices: [Int]) -> [String] {
        var counts: [String: Int] = [:]
        var names: [String] = []
        for index in indices where !kept.contains(tokens[index].text) {
            let name = tokens[index].text
            if counts[name] == nil { names.append(name) }
            counts[name, default: 0] += 1
        }
        let order = names.enumerated().sorted {
            let (first, second) = (counts[$0.element, default: 0], counts[$1.element, default: 0])
            return (second, $0.offset) < (first, $1.offset)
        }
        return order.map(\.element)
    }

    /// As common as they are in what else stands there.
    private static let letters = "etnaoirslcdufpmhgvbywxkqzj".map(String.init)

    private static let capitals = letters.map { $0.uppercased() }

    /// They begin with a capital: no letter of `letters` is among them.
    private static let longerNames =
        capitals + capitals.flatMap { first in (letters + capitals).map { first + $0 } }
}

extension ScriptOutline {
    /// What the statement that begins there declares.
    fileprivate func declaration(at index: Int) -> [String]? {
        guard tokens[index].isWord(["const", "let", "class", "function"]) else { return nil }
        return ends[index + 1] == nil ? [tokens[index + 1].text] : pattern(at: index + 1)
    }

    /// All that is declared there: by statements, and as parameters.
    fileprivate func declarations(in range: Range<Int>) -> Set<String> {
        Set(range.lazy.flatMap { declaration(at: $0) ?? parameters(at: $0) })
    }

    private func parameters(at index: Int) -> [String] {
        if tokens[index].text == "=>", tokens[index - 1].kind == .name { return [tokens[index - 1].text] }
        guard index > 0, tokens[index].text == "(", let end = ends[index], end + 1 < tokens.count else { return [] }
        let isFunction =
            tokens[end + 1].text == "=>"
            || tokens[end + 1].text == "{" && !tokens[index - 1].isWord(["if", "for", "while", "switch"])
        return isFunction ? pattern(at: index) : []
    }

    /// The names that a pattern between brackets binds.
    private func pattern(at index: Int) -> [String] {
        (index..<(ends[index] ?? index)).filter { position in
            (roles[position] == .variable || roles[position] == .shorthand)
                && tokens[position - 1].isPunctuator(["(", ",", "{", "[", ":", "..."])
        }
        .map { tokens[$0].text }
    }
}
