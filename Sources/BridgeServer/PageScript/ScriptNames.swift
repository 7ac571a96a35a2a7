/// Gives a script's variables and private members short names. A name that is used anywhere without being declared around it
/// stays as it is, and so do properties.
///
/// The script is one function in parentheses. A unit is a statement of its body, or a member of a class. Within a unit scopes are not
/// looked at: a name is one thing there, and different names stay different. So the program means the same.
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
        let classes = outline.classes.map { body in body.filter { tokens[$0].kind == .privateName } }
        let names = shortNames(for: classes, from: Self.shortNames.map { "#\($0)" })
        for index in classes.joined() { tokens[index].text = names[tokens[index].text] ?? tokens[index].text }
    }

    private mutating func renameVariables() {
        let variables = units.map { $0.filter(isVariable) }
        let names = shortNames(for: variables, from: Self.shortNames.filter { !kept.contains($0) })
        for index in variables.joined() {
            let name = tokens[index].text
            guard let short = names[name] else { continue }
            tokens[index].text = outline.roles[index] == .shorthand ? "\(name):\(short)" : short
        }
    }

    /// By name. Two names that are used in one unit get different ones, and so do two that the body declares; the commonest name
    /// gets the first that is left.
    ///
    /// - Parameter uses: the tokens of each unit.
    private func shortNames(for uses: [[Int]], from pool: [String]) -> [String: String] {
        // Places in the pool.
        var taken = [Set<Int>](repeating: [], count: uses.count)
        var takenByGlobals: Set<Int> = []
        var names: [String: String] = [:]
        for (name, units) in unitsByFrequency(uses) {
            let isGlobal = globals.contains(name)
            let free = pool.indices.first { place in
                !(isGlobal && takenByGlobals.contains(place)) && !units.contains { taken[$0].contains(place) }
            }
            guard let free else { continue }
            names[name] = pool[free]
            for unit in units { taken[unit].insert(free) }
            if isGlobal { takenByGlobals.insert(free) }
        }
        return names
    }

    /// The names that may change, and where each is used: the commonest first, and of two as common the earlier one.
    private func unitsByFrequency(_ uses: [[Int]]) -> [(name: String, units: Set<Int>)] {
        var found: [String: (count: Int, first: Int, units: Set<Int>)] = [:]
        for (unit, indices) in uses.enumerated() {
            for index in indices where !kept.contains(tokens[index].text) {
                found[tokens[index].text, default: (0, index, [])].count += 1
                found[tokens[index].text]?.units.insert(unit)
            }
        }
        return found.sorted { ($1.value.count, $0.value.first) < ($0.value.count, $1.value.first) }
            .map { ($0.key, $0.value.units) }
    }

    /// Letters in the order in which they are common in what else stands there; then two.
    private static let shortNames: [String] = {
        let small = "tesnirolacduhpfmgvbywxkqzj".map(String.init)
        let letters = small + small.map { $0.uppercased() }
        return letters + small.flatMap { first in letters.map { first + $0 } }
    }()
}

extension ScriptOutline {
    private static let declarators: Set = ["const", "let", "class", "function"]
    private static let conditionals: Set = ["if", "for", "while", "switch"]
    /// What stands before a name that a pattern binds.
    private static let bindingHeads: Set = ["(", ",", "{", "[", ":", "..."]

    /// What the statement that begins there declares.
    fileprivate func declaration(at index: Int) -> [String]? {
        guard tokens[index].kind == .name, Self.declarators.contains(tokens[index].text) else { return nil }
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
            || tokens[end + 1].text == "{" && !Self.conditionals.contains(tokens[index - 1].text)
        return isFunction ? pattern(at: index) : []
    }

    /// The names that a pattern between brackets binds.
    private func pattern(at index: Int) -> [String] {
        (index..<(ends[index] ?? index)).filter { position in
            (roles[position] == .variable || roles[position] == .shorthand)
                && Self.bindingHeads.contains(tokens[position - 1].text)
        }
        .map { tokens[$0].text }
    }
}
