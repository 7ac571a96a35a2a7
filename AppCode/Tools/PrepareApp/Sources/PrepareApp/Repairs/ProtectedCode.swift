import SwiftSyntax

/// What must not be cut: the code that an app is run for. It receives messages, and decides about navigations.
struct ProtectedCode {
    private static let protocols: Set = [
        "WKScriptMessageHandler", "WKScriptMessageHandlerWithReply", "WKNavigationDelegate", "WKUIDelegate",
        "BridgeComponent", "NavigatorDelegate", "SessionDelegate", "VisitableDelegate", "WebViewDelegate",
        "TurboNavigationDelegate", "TurboNavigatorDelegate", "BridgeDelegate",
    ]

    /// The names of the methods that these protocols ask for.
    private static let methods: Set = [
        "userContentController", "webView", "webViewDidClose", "webViewWebContentProcessDidTerminate", "onReceive",
        "handle", "session", "sessionDidLoadWebView", "sessionDidStartRequest", "sessionDidFinishRequest",
        "sessionDidStartFormSubmission", "sessionDidFinishFormSubmission", "sessionWebViewProcessDidTerminate",
    ]

    /// The types of the module that implement one of the protocols.
    private(set) var types: Set<String> = []

    init(_ files: [RepairedFile]) {
        for file in files where ProtectedCode.protocols.contains(where: { file.text.contains($0) }) {
            let finder = Finder(viewMode: .sourceAccurate)
            finder.walk(file.tree)
            types.formUnion(finder.types)
        }
    }

    private final class Finder: SyntaxVisitor {
        var types: Set<String> = []

        private func note(_ name: String, _ clause: InheritanceClauseSyntax?) -> SyntaxVisitorContinueKind {
            if clause?.inheritedTypes.contains(where: { ProtectedCode.names($0.type) }) == true { types.insert(name) }
            return .visitChildren
        }

        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.extendedType.trimmedDescription, node.inheritanceClause)
        }
    }

    /// Whether a type of an inheritance clause is one of the protocols, or a list that has one.
    private static func names(_ type: TypeSyntax) -> Bool {
        if let list = type.as(CompositionTypeSyntax.self) { return list.elements.contains { names($0.type) } }
        return protocols.contains(type.trimmedDescription.split(separator: ".").last.map(String.init) ?? "")
    }

    /// Says why something must not be cut; nil if it may.
    func reason(against cut: Cut, at node: Syntax) -> String? {
        switch cut.kind {
        case .adapted, .module, .modifier, .value: return nil
        case .conformance:
            let removed = node.asProtocol((any DeclGroupSyntax).self)?.inheritanceClause?.inheritedTypes.contains {
                ProtectedCode.names($0.type) && !cut.replacement.contains($0.type.trimmedDescription)
                    && cut.range.contains($0.positionAfterSkippingLeadingTrivia.utf8Offset)
            }
            if removed == true { return "the protocol is what the app receives messages or decides about pages with" }
            let isApp = cut.what.contains("does not conform to protocol 'App'")
            return isApp ? "the app starts with it" : nil
        case .statement:
            guard let function = method(around: node) else { return nil }
            let answers = Answers(of: function)
            answers.walk(node)
            guard let name = answers.found, !cut.replacement.contains(name), !answers.follow(node) else { return nil }
            return "\(function.name.text) answers with \(name) here, and without it the page would wait for ever"
        case .body, .declaration:
            let finder = MethodFinder(self, cut.range)
            // Only what lies in the range counts, but its owner may be a type around it.
            finder.walk(node.root)
            return finder.found.map { "\($0) is what the app receives messages or decides about pages with" }
        }
    }

    /// The protected method that a node is a part of.
    private func method(around node: Syntax) -> FunctionDeclSyntax? {
        var current: Syntax? = node
        while let parent = current {
            if let function = parent.as(FunctionDeclSyntax.self), isProtected(function) { return function }
            current = parent.parent
        }
        return nil
    }

    fileprivate func isProtected(_ function: FunctionDeclSyntax) -> Bool {
        guard ProtectedCode.methods.contains(function.name.text) else { return false }
        if let type = function.ancestor(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription {
            return types.contains(type)
        }
        let owner =
            function.ancestor(ClassDeclSyntax.self)?.name.text ?? function.ancestor(StructDeclSyntax.self)?.name.text
        return owner.map(types.contains) ?? false
    }

    private final class MethodFinder: SyntaxVisitor {
        private let code: ProtectedCode
        private let range: Range<Int>
        private(set) var found: String?

        init(_ code: ProtectedCode, _ range: Range<Int>) {
            (self.code, self.range) = (code, range)
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            let body = node.body.map {
                $0.leftBrace.endPosition.utf8Offset..<$0.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset
            }
            if let body, !body.isEmpty, range.overlaps(body), code.isProtected(node) {
                // A part of the body is a statement, or a function within it.
                let isWhole = range.lowerBound <= body.lowerBound || range.upperBound >= body.upperBound
                let first = node.body?.statements.first?.positionAfterSkippingLeadingTrivia.utf8Offset
                if isWhole || range.lowerBound == first { found = found ?? node.name.text }
            }
            return .visitChildren
        }
    }

    /// Finds calls of the closures with which a method answers.
    private final class Answers: SyntaxVisitor {
        private let closures: Set<String>
        private(set) var found: String?

        init(of function: FunctionDeclSyntax) {
            let parameters = function.signature.parameterClause.parameters.filter {
                let type = $0.type.as(AttributedTypeSyntax.self)?.baseType ?? $0.type
                return type.is(FunctionTypeSyntax.self)
            }
            closures = Set(parameters.map { ($0.secondName ?? $0.firstName).text } + ["reply"])
            super.init(viewMode: .sourceAccurate)
        }

        /// Whether a statement that comes after another one, in its block or one around it, answers, too.
        func follow(_ node: Syntax) -> Bool {
            var current: Syntax? = node
            while let item = current, !item.is(FunctionDeclSyntax.self) {
                if let list = item.parent?.as(CodeBlockItemListSyntax.self) {
                    let rest = list.drop { $0.position <= item.position }
                    if closures.contains(where: { name in rest.contains { $0.description.contains("\(name)(") } }) {
                        return true
                    }
                }
                current = item.parent
            }
            return false
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if closures.contains(node.baseName.text) { found = found ?? node.baseName.text }
            return .skipChildren
        }
    }
}
