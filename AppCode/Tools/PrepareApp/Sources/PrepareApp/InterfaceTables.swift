import SwiftSyntax

/// The outlets, actions and segue actions of the classes in a file, as the source of a table for each class. The tables are in the same file,
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
            // Extensions of the class in other files have tables, too. No two have a member in common.
            let table = "bridgedInterface_\(name)_\(members.first)".replacing(".", with: "_").replacing(":", with: "_")
            // One statement for each, which Swift's type checker solves one after the other.
            let outlets = members.outlets.map { "o[\"\($0.name)\"] = .init(\\\(name).\($0.property)); " }.joined()
            let actions = members.actions.map {
                "a[\"\($0.selector)\"] = Selector(\"\($0.selector)\", \(name).\($0.method)); "
            }.joined()
            let segues = members.segueActions.map { "s[\"\($0.selector)\"] = .init(\(name).\($0.method)); " }.joined()
            let (segueTable, segueArgument) =
                segues.isEmpty
                ? ("", "") : ("var s: [String: InterfaceTable.SegueAction] = [:]; ", ", segueActions: s")
            source +=
                "\nextension \(name) { @MainActor static let \(table): InterfaceTable = { "
                + "var o: [String: InterfaceTable.Outlet] = [:]; var a: [String: Selector] = [:]; \(segueTable)"
                + "\(outlets)\(actions)\(segues)"
                + "return InterfaceTable(\(name).self, outlets: o, actions: a\(segueArgument)) }() }"
            names.append("\(name).\(table)")
        }
        (self.names, self.source) = (names, source.isEmpty ? "" : source + "\n")
    }

    private struct Members {
        /// The properties that a storyboard sets, with their names in Objective-C.
        var outlets: [(name: String, property: String)] = []
        var actions: [(selector: String, method: String)] = []
        var segueActions: [(selector: String, method: String)] = []
        var first: String { outlets.first?.name ?? actions.first?.selector ?? segueActions.first?.selector ?? "" }
    }

    private final class Finder: SyntaxVisitor {
        private(set) var order: [String] = []
        private(set) var classes: [String: Members] = [:]

        override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
            // A storyboard sets the second as "user defined runtime attributes".
            guard node.attributes.has("IBOutlet") || node.attributes.has("IBInspectable"), let owner = node.owner,
                let binding = node.bindings.first, !binding.isOnlyRead,
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { return .visitChildren }
            change(owner) { $0.outlets.append((node.attributes.objectiveCName ?? name, name)) }
            return .skipChildren
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            // An overridden action is found in the table of the class above.
            let isOverride = node.modifiers.contains { $0.name.text == "override" }
            let (isAction, isSegueAction) = (node.attributes.has("IBAction"), node.attributes.has("IBSegueAction"))
            guard isAction || isSegueAction, !isOverride, let owner = node.owner else { return .visitChildren }
            let labels = node.signature.parameterClause.parameters.map(\.firstName.text)
            // The sender and the event; or the coder, the sender and the segue's identifier.
            guard labels.count <= (isAction ? 2 : 3) else { return .visitChildren }
            let method = labels.isEmpty ? node.name.text : "\(node.name.text)(\(labels.map { "\($0):" }.joined()))"
            let selector = node.attributes.objectiveCName ?? ObjectiveCNames.selector(node.name.text, labels)
            change(owner) {
                if isAction {
                    $0.actions.append((selector, method))
                } else {
                    $0.segueActions.append((selector, method))
                }
            }
            return .visitChildren
        }

        private func change(_ owner: String, _ body: (inout Members) -> Void) {
            if classes[owner] == nil { order.append(owner) }
            body(&classes[owner, default: Members()])
        }
    }
}

/// The names that Swift gives to methods in Objective-C.
private enum ObjectiveCNames {
    /// `tap:` of `tap(_:)`, `tapWithSender:` of `tap(sender:)`, `unwindFor:` of `unwind(for:)`.
    static func selector(_ name: String, _ labels: [String]) -> String {
        guard let first = labels.first else { return name }
        let others = labels.dropFirst().map { $0 == "_" ? ":" : "\($0):" }.joined()
        guard first != "_" else { return "\(name):\(others)" }
        let isJoined = prepositions.contains(firstWord(first)) || prepositions.contains(lastWord(name))
        return "\(name)\(isJoined ? "" : "With")\(first.prefix(1).uppercased())\(first.dropFirst()):\(others)"
    }

    private static func firstWord(_ name: String) -> String {
        String(name.prefix(1)).lowercased() + name.dropFirst().prefix { !$0.isUppercase }
    }

    private static func lastWord(_ name: String) -> String {
        guard let start = name.lastIndex(where: \.isUppercase) else { return name }
        return name[start...].lowercased()
    }

    /// Swift adds "With" neither before one of these words nor after one.
    private static let prepositions: Set = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given",
        "in", "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until",
        "using", "via", "when", "with", "within",
    ]
}

extension AttributeListSyntax {
    fileprivate func has(_ name: String) -> Bool {
        attribute(name) != nil
    }

    private func attribute(_ name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.attributeName.trimmedDescription == name }
    }

    /// `save:` of `@objc(save:)`.
    fileprivate var objectiveCName: String? { attribute("objc")?.arguments?.trimmedDescription }
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

extension PatternBindingSyntax {
    /// Whether it is a computed property without a setter.
    fileprivate var isOnlyRead: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        // The toolchain's own SwiftSyntax may have more cases, so that a `switch` would not compile with it.
        guard case .accessors(let list) = accessors else { return true }
        let names = list.map(\.accessorSpecifier.text)
        return names.contains("get") && !names.contains("set")
    }
}
