import SwiftParser
import SwiftSyntax

/// The classes of a module that are subclasses of `XCTestCase`, and those of them that belong to the main actor.
struct TestClasses {
    private var superclasses: [String: String] = [:]
    private var isolated: Set<String> = []

    init(_ sources: [String]) {
        for source in sources {
            let finder = Finder(viewMode: .sourceAccurate)
            finder.walk(Parser.parse(source: source))
            superclasses.merge(finder.superclasses) { first, _ in first }
            isolated.formUnion(finder.isolated)
        }
    }

    func isTest(_ name: String) -> Bool { ancestors(name).contains("XCTestCase") }

    func isOnMainActor(_ name: String) -> Bool { ancestors(name).contains { isolated.contains($0) } }

    /// The class and those above it.
    private func ancestors(_ name: String) -> [String] {
        var (found, next) = ([String](), Optional(name))
        while let current = next, !found.contains(current) {
            found.append(current)
            next = superclasses[current]
        }
        return found
    }

    private final class Finder: SyntaxVisitor {
        var superclasses: [String: String] = [:]
        var isolated: Set<String> = []

        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            let above = node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
            superclasses[node.name.text] = above?.split(separator: ".").last.map(String.init)
            if node.attributes.hasMainActor { isolated.insert(node.name.text) }
            return .visitChildren
        }
    }
}

extension AttributeListSyntax {
    var hasMainActor: Bool {
        contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "MainActor" }
    }
}
