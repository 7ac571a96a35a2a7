import SwiftSyntax

/// Rewrites the methods that Linux's XCTest cannot call.
///
/// - It calls each method without an actor, but on the main thread. A method of the main actor that is not async gets a
///   companion without an actor, which calls it. So does a `setUp` or `tearDown` that a class of the main actor overrides.
/// - It knows tests by their names. Of a test that is there in two forms, the one that is not async gets another name:
///   Objective-C has two selectors for them.
final class TestRewriter: SyntaxVisitor {
    private let classes: TestClasses
    private(set) var edits: [Edit] = []

    init(_ classes: TestClasses) {
        self.classes = classes
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        rewrite(node.memberBlock, of: node.name.text)
        return .visitChildren
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        rewrite(node.memberBlock, of: node.extendedType.trimmedDescription)
        return .visitChildren
    }

    private func rewrite(_ members: MemberBlockSyntax, of name: String) {
        guard classes.isTest(name) else { return }
        let methods = members.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }.filter(\.isCalledByXCTest)
        let asyncNames = Set(methods.filter(\.isAsync).map(\.name.text))
        for method in methods where !method.isAsync {
            let isDouble = method.isTestMethod && asyncNames.contains(method.name.text)
            let shown = method.name.text + (isDouble ? "_sync" : "")
            if method.attributes.hasMainActor || classes.isOnMainActor(name) && !method.isNonisolated {
                addCompanion(of: method, shown)
            } else if isDouble {
                edit(method.name, shown, "another test has this name")
            }
        }
    }

    private func addCompanion(of method: FunctionDeclSyntax, _ shown: String) {
        let name = "onMainActor_\(shown)"
        let override = method.modifiers.first { $0.name.text == "override" }
        let isThrowing = method.signature.effectSpecifiers?.throwsClause != nil
        let (effects, attempt) = isThrowing ? (" throws", "try ") : ("", "")
        let reason = "Linux's XCTest calls no method of the main actor; \(shown) calls \(name)"
        let start = method.positionAfterSkippingLeadingTrivia.utf8Offset
        let companion =
            "nonisolated \(override == nil ? "" : "override ")func \(shown)()\(effects) "
            + "{ nonisolated(unsafe) let test = self; "
            + "\(attempt)MainActor.assumeIsolated { \(attempt)test.\(name)() } }; @MainActor "
        edits.append(Edit(range: start..<start, replacement: companion, reason: reason))
        for case .attribute(let attribute) in method.attributes where attribute.isMainActor {
            edit(attribute, "", reason)
        }
        if let override { edit(override, "", reason) }
        edit(method.name, name, reason)
    }

    private func edit(_ node: some SyntaxProtocol, _ text: String, _ reason: String) {
        let range = node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
        edits.append(Edit(range: range, replacement: text, reason: reason))
    }
}

extension FunctionDeclSyntax {
    fileprivate var isTestMethod: Bool { name.text.hasPrefix("test") }

    fileprivate var isCalledByXCTest: Bool {
        let isCalled =
            isTestMethod || ["setUp", "tearDown", "setUpWithError", "tearDownWithError"].contains(name.text)
        let isOfInstance = !modifiers.contains { ["class", "static", "private"].contains($0.name.text) }
        return isCalled && isOfInstance && signature.parameterClause.parameters.isEmpty
            && signature.returnClause == nil
    }

    fileprivate var isAsync: Bool { signature.effectSpecifiers?.asyncSpecifier != nil }
    fileprivate var isNonisolated: Bool { modifiers.contains { $0.name.text == "nonisolated" } }
}

extension AttributeSyntax {
    fileprivate var isMainActor: Bool { attributeName.trimmedDescription == "MainActor" }
}
