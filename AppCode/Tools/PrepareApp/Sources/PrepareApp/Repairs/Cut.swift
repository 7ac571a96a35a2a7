/// A part of a file that the compiler refuses, and what stands in its place. Every line keeps its number.
struct Cut: Codable, Equatable {
    enum Kind: String, Codable {
        /// An attribute, a condition or a keyword that Linux does not need: nothing is lost.
        case adapted
        /// A module that Linux lacks.
        case module
        case conformance
        /// An attribute that Linux does not know: the declaration stays without it.
        case attribute
        /// A modifier of SwiftUI: the view stays without it.
        case modifier
        /// An element of a list, or a case of a `switch`.
        case element
        case statement
        /// The initial value of a property.
        case value
        case body
        /// A function, a property or a type.
        case declaration

        /// Which of two cuts with the same range cuts more.
        var rank: Int {
            switch self {
            case .adapted, .module: 0
            case .conformance, .attribute, .modifier, .element: 1
            case .value: 2
            case .statement: 3
            case .body: 4
            case .declaration: 5
            }
        }
    }

    /// The bytes in the text that the rewriter has made.
    var start: Int
    var end: Int
    var replacement: String
    let kind: Kind
    /// The line of the first error in it.
    let line: Int
    /// What is missing: a name, or what the compiler said.
    let what: String
    /// The function, property or type that it is part of, for people.
    let owner: String
    /// What its statements declared, so that whatever uses it can say why it is cut, too.
    var declared: [String] = []

    var range: Range<Int> { start..<end }

    func contains(_ other: Cut) -> Bool { start <= other.start && other.end <= end }

    /// Whether this cuts all that another does, and more.
    func isMore(than other: Cut) -> Bool {
        contains(other) && (range != other.range || kind.rank > other.kind.rank)
    }
}

/// An error of the compiler in a file that `prepare-app` has written.
struct CompilerError {
    let path: String
    let line: Int
    let column: Int
    let text: String
    /// The texts of the notes that follow it.
    var notes: [String] = []

    /// Reads what the compiler has written about the files of a folder.
    static func read(_ output: String, in folder: String) -> [CompilerError] {
        var errors: [CompilerError] = []
        for line in output.split(whereSeparator: \.isNewline) {
            guard let match = line.wholeMatch(of: /(.+?):(\d+):(\d+): (error|note): (.*)/),
                let number = Int(match.2), let column = Int(match.3)
            else { continue }
            if match.4 == "note" {
                if !errors.isEmpty { errors[errors.count - 1].notes.append(String(match.5)) }
            } else if match.1.hasPrefix(folder + "/") {
                let path = String(match.1.dropFirst(folder.count + 1))
                errors.append(CompilerError(path: path, line: number, column: column, text: String(match.5)))
            }
        }
        return errors
    }

    /// The name that Linux lacks, such as `UIView.snap`; nil if the error is about something else.
    var missingName: String? {
        if let match = text.firstMatch(of: /cannot find (?:type |operator )?'([^']+)' in scope/) {
            return String(match.1)
        }
        if let match = text.firstMatch(of: /no such module '([^']+)'/) { return "module \(match.1)" }
        if let match = text.firstMatch(of: /type '([^']+)' has no (?:dynamic )?(?:static )?member '([^']+)'/) {
            let type = match.1.hasPrefix("some ") ? String(match.1.dropFirst(5)) : String(match.1)
            return "\(type).\(match.2)"
        }
        if let match = text.firstMatch(of: /'([^']+)' initializer is inaccessible/) { return String(match.1) }
        if let match = text.firstMatch(of: /unknown attribute '([^']+)'/) { return "@\(match.1)" }
        return nil
    }
}
