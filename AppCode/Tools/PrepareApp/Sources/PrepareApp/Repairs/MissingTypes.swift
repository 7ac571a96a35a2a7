import SwiftSyntax

/// Declares types that Linux lacks, as their uses ask for them. Nothing can be made of them and they have no members, so
/// that each use of one is cut where it stands.
struct MissingTypes {
    /// - Returns: the declaration of each name.
    static func declarations(of names: Set<String>, in files: [RepairedFile]) -> [String: String] {
        guard !names.isEmpty else { return [:] }
        let uses = Uses(names.filter { !$0.contains(".") })
        for file in files where names.contains(where: { file.text.contains($0) }) { uses.walk(file.tree) }
        var declarations: [String: String] = [:]
        for name in names {
            if let other = renamed[name] {
                declarations[name] = "public typealias \(name) = \(other)"
            } else if let dot = name.lastIndex(of: ".") {
                let (outer, inner) = (name[..<dot], name[name.index(after: dot)...])
                declarations[name] = "extension \(outer) { public final class \(inner): NSObject { \(hidden) } }"
            } else {
                declarations[name] = declaration(of: name, uses.found[name] ?? Use())
            }
        }
        return declarations
    }

    /// Types that had other names when Swift 4 was new. A method with an empty type in their place would never be called.
    private static let renamed = [
        "UIApplicationLaunchOptionsKey": "UIApplication.LaunchOptionsKey",
        "UIApplicationOpenURLOptionsKey": "UIApplication.OpenURLOptionsKey",
        "NSAttributedStringKey": "NSAttributedString.Key",
        "UIGestureRecognizerState": "UIGestureRecognizer.State", "UITableViewCellStyle": "UITableViewCell.CellStyle",
    ]

    private static let hidden = "private override init() { super.init() }"

    private static func declaration(of name: String, _ use: Use) -> String {
        if use.isProtocol || use.isFirstOfClass && !use.isSuperclass(name) {
            return "public protocol \(name)\(use.isOfValue ? "" : ": AnyObject") {}"
        }
        if use.parameters > 0 {
            let parameters = (0..<use.parameters).map { "T\($0)" }.joined(separator: ", ")
            return "public final class \(name)<\(parameters)> { private init() {} }"
        }
        let isSuperclass = use.isFirstOfClass
        return
            "open class \(name): NSObject, @unchecked Sendable { \(isSuperclass ? "public override init() { super.init() }" : hidden) }"
    }

    struct Use {
        var isProtocol = false
        var isFirstOfClass = false
        var isOfValue = false
        var parameters = 0

        /// Whether a name that a class inherits from is rather that of a class than of a protocol.
        func isSuperclass(_ name: String) -> Bool {
            ![
                "Delegate", "DataSource", "Protocol", "able", "ible", "Observer", "Providing", "Provider", "Handler",
                "ing",
            ]
            .contains { name.hasSuffix($0) } && !name.hasPrefix("Observable")
        }
    }

    private final class Uses: SyntaxVisitor {
        private let names: Set<String>
        private(set) var found: [String: Use] = [:]

        init(_ names: Set<String>) {
            self.names = names
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
            let name = node.name.text
            guard names.contains(name) else { return .visitChildren }
            var use = found[name] ?? Use()
            use.parameters = max(use.parameters, node.genericArgumentClause?.arguments.count ?? 0)
            note(node, &use)
            found[name] = use
            return .visitChildren
        }

        private func note(_ node: IdentifierTypeSyntax, _ use: inout Use) {
            guard let parent = node.parent else { return }
            if let inherited = parent.as(InheritedTypeSyntax.self) {
                let list = inherited.parent?.as(InheritedTypeListSyntax.self)
                let owner = list?.parent?.parent
                if owner?.is(ClassDeclSyntax.self) == true, list?.first?.id == inherited.id {
                    use.isFirstOfClass = true
                } else {
                    use.isProtocol = true
                    use.isOfValue =
                        use.isOfValue || owner?.is(StructDeclSyntax.self) == true
                        || owner?.is(EnumDeclSyntax.self) == true || owner?.is(ExtensionDeclSyntax.self) == true
                }
            } else if parent.is(SomeOrAnyTypeSyntax.self) || parent.is(CompositionTypeElementSyntax.self)
                || parent.is(ConformanceRequirementSyntax.self) || parent.is(GenericParameterSyntax.self)
            {
                use.isProtocol = true
            }
        }
    }
}
