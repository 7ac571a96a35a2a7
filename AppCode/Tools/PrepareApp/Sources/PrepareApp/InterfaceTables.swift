import SwiftSyntax

/// The outlets and actions of the classes in a file, as the source of a table for each class. The tables are in the same file,
/// because outlets and actions may be private.
struct InterfaceTables {
    /// The names of the tables.
    let names: [String]
    /// What is added to the file's end.
    let source: String

    init(_ file: SourceFileSyntax) {
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(file)
        var (names, source) = ([String](), "")
        for name in finder.order {
            guard let members = finder.classes[name] else { continue }
            let table = "bridgedInterface_\(name.replacing(".", with: "_"))"
            // One statement for each, which Swift's type checker solves one after the other.
            let outlets = members.outlets.map { "o[\"\($0)\"] = .init(\\\(name).\($0)); " }.joined()
            let actions = members.actions.map {
                "a[\"\($0.selector)\"] = Selector(\"\($0.selector)\", \(name).\($0.method)); "
            }.joined()
            source +=
                "\nextension \(name) { @MainActor static let \(table): InterfaceTable = { "
                + "var o: [String: InterfaceTable.Outlet] = [:]; var a: [String: Selector] = [:]; \(outlets)\(actions)"
                + "return InterfaceTable(\(name).self, outlets: o, actions: a) }() }"
            names.append("\(name).\(table)")
        }
        (self.names, self.source) = (names, source.isEmpty ? "" : source + "\n")
    }

    private struct Members {
        var outlets: [String] = []
        var actions: [(selector: String, method: String)] = []
    }

    private final class Finder: SyntaxVisitor {
        private(set) var order: [String] = []
        private(set) var classes: [String: Members] = [:]

        override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
            guard node.attributes.has("IBOutlet"), let owner = node.owner,
                let name = node.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { return .visitChildren }
            change(owner) { $0.outlets.append(name) }
            return .skipChildren
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            // An overridden action is found in the table of the class above.
            let isOverride = node.modifiers.contains { $0.name.text == "override" }
            guard node.attributes.has("IBAction"), !isOverride, let owner = node.owner else { return .visitChildren }
            let labels = node.signature.parameterClause.parameters.map(\.firstName.text)
            // No event is passed here.
            guard labels.count <= 1 else { return .visitChildren }
            let method = labels.isEmpty ? node.name.text : "\(node.name.text)(\(labels.map { "\($0):" }.joined()))"
            change(owner) { $0.actions.append((Finder.selector(node.name.text, labels), method)) }
            return .visitChildren
        }

        private func change(_ owner: String, _ body: (inout Members) -> Void) {
            if classes[owner] == nil { order.append(owner) }
            body(&classes[owner, default: Members()])
        }

        /// The name of a method in Objective-C: `tap:` of `tap(_:)`, `tapWithSender:` of `tap(sender:)`.
        private static func selector(_ name: String, _ labels: [String]) -> String {
            guard let first = labels.first else { return name }
            let start = first == "_" ? name : "\(name)With\(first.prefix(1).uppercased())\(first.dropFirst())"
            return "\(start):"
        }
    }
}

extension AttributeListSyntax {
    fileprivate func has(_ name: String) -> Bool {
        contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == name }
    }
}

extension SyntaxProtocol {
    /// The class that a member belongs to; nil if another file cannot name it, or if it is generic.
    fileprivate var owner: String? {
        var (names, node) = ([String](), parent)
        while let current = node {
            if let type = current.as(ClassDeclSyntax.self) {
                let isHidden = type.modifiers.contains { ["private", "fileprivate"].contains($0.name.text) }
                guard !isHidden, type.genericParameterClause == nil else { return nil }
                names.insert(type.name.text, at: 0)
            } else if let type = current.as(ExtensionDeclSyntax.self) {
                names.insert(type.extendedType.trimmedDescription, at: 0)
            } else if let type = current.as(StructDeclSyntax.self) {
                names.insert(type.name.text, at: 0)
            } else if let type = current.as(EnumDeclSyntax.self) {
                names.insert(type.name.text, at: 0)
            } else if current.is(FunctionDeclSyntax.self) {
                return nil
            }
            node = current.parent
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}
