import SwiftParser
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

    /// The types of the module that implement one of the protocols, and their subclasses, by the last part of their names.
    private(set) var types: Set<String> = []

    init(_ files: [RepairedFile]) {
        guard files.contains(where: { file in ProtectedCode.protocols.contains { file.text.contains($0) } }) else {
            return
        }
        let finder = Finder(viewMode: .sourceAccurate)
        for file in files { finder.walk(file.tree) }
        types = finder.types
        var size = -1
        while size != types.count {
            size = types.count
            for (name, superclass) in finder.superclasses where types.contains(superclass) { types.insert(name) }
        }
    }

    private final class Finder: SyntaxVisitor {
        private(set) var types: Set<String> = []
        /// Each class, and the first type of its list.
        private(set) var superclasses: [(name: String, superclass: String)] = []

        private func note(_ name: String, _ clause: InheritanceClauseSyntax?) -> SyntaxVisitorContinueKind {
            if clause?.inheritedTypes.contains(where: { ProtectedCode.names($0.type) }) == true { types.insert(name) }
            return .visitChildren
        }

        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            if let first = node.inheritanceClause?.inheritedTypes.first {
                superclasses.append((node.name.text, ProtectedCode.lastPart(of: first.type)))
            }
            return note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
            note(node.name.text, node.inheritanceClause)
        }

        override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
            note(ProtectedCode.lastPart(of: node.extendedType), node.inheritanceClause)
        }
    }

    /// The name of a type without the types and the module around it.
    private static func lastPart(of type: TypeSyntax) -> String {
        type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
    }

    /// Whether a type of an inheritance clause is one of the protocols, or a list that has one.
    private static func names(_ type: TypeSyntax) -> Bool {
        if let list = type.as(CompositionTypeSyntax.self) { return list.elements.contains { names($0.type) } }
        return protocols.contains(lastPart(of: type))
    }

    /// Says why something must not be cut; nil if it may.
    func reason(against cut: Cut, at node: Syntax) -> String? {
        switch cut.kind {
        case .adapted, .module, .attribute, .modifier, .element, .value: return nil
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
            if cutsTheRest(cut, at: node, of: function) {
                return "\(function.name.text) does what the app receives messages or decides about pages with below it"
            }
            let answers = Answers(of: function)
            guard let name = answers.first(in: Syntax(function), within: cut.range),
                answers.first(in: Syntax(Parser.parse(source: cut.replacement))) == nil,
                !answers.follow(node, after: cut.end)
            else { return nil }
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

    /// Whether a cut begins with a method's first statement and takes all others, too, as that of a `guard` does.
    private func cutsTheRest(_ cut: Cut, at node: Syntax, of function: FunctionDeclSyntax) -> Bool {
        guard let statements = function.body?.statements, statements.count > 1, let first = statements.first,
            let last = statements.last
        else { return false }
        return first.positionAfterSkippingLeadingTrivia.utf8Offset >= cut.start
            && last.endPositionBeforeTrailingTrivia.utf8Offset <= cut.end
    }

    fileprivate func isProtected(_ function: FunctionDeclSyntax) -> Bool {
        guard ProtectedCode.methods.contains(function.name.text) else { return false }
        var node = function.parent
        while let current = node {
            if let type = current.as(ExtensionDeclSyntax.self)?.extendedType {
                return types.contains(ProtectedCode.lastPart(of: type))
            }
            if current.isProtocol((any DeclGroupSyntax).self), let type = current.asProtocol((any NamedDeclSyntax).self)
            {
                return types.contains(type.name.text)
            }
            node = current.parent
        }
        return false
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
        private var found: String?
        private var range: Range<Int>?

        init(of function: FunctionDeclSyntax) {
            let parameters = function.signature.parameterClause.parameters.filter {
                let type = $0.type.as(AttributedTypeSyntax.self)?.baseType ?? $0.type
                return type.is(FunctionTypeSyntax.self)
            }
            closures = Set(parameters.map { ($0.secondName ?? $0.firstName).text } + ["reply"])
            super.init(viewMode: .sourceAccurate)
        }

        /// The first such closure that a part of a file names.
        /// - Parameter range: only what is in these bytes counts; nil if everything does.
        func first(in node: Syntax, within range: Range<Int>? = nil) -> String? {
            (found, self.range) = (nil, range)
            walk(node)
            return found
        }

        /// Whether a statement that comes later, in the block of another one or in one around it, answers, too.
        /// - Parameter end: where the statements begin that stay.
        func follow(_ node: Syntax, after end: Int) -> Bool {
            var current: Syntax? = node
            while let item = current, !item.is(FunctionDeclSyntax.self) {
                let list = item.parent?.as(CodeBlockItemListSyntax.self) ?? []
                let rest = list.filter { $0.positionAfterSkippingLeadingTrivia.utf8Offset >= end }
                if rest.contains(where: { first(in: Syntax($0)) != nil }) { return true }
                current = item.parent
            }
            return false
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            let isCounted = range?.contains(node.positionAfterSkippingLeadingTrivia.utf8Offset) ?? true
            if isCounted, closures.contains(node.baseName.text) { found = found ?? node.baseName.text }
            return .skipChildren
        }
    }
}
