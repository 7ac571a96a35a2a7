import SwiftParser
import SwiftSyntax

/// Rewrites what Linux's compiler refuses in a file that was written for iOS. Every line keeps its number.
///
/// - `#selector(refresh(_:))` becomes `Selector("refresh(_:)", Self.refresh(_:))`.
/// - `#keyPath(WKWebView.title)` becomes `"title"`.
/// - A class without a class of UIKit above it that overrides `observeValue(forKeyPath:…)` becomes a `KeyValueObserving`.
/// - `@objc`, `@IBAction` and their like disappear, as does `dynamic`.
/// - `import os`, `import SwiftUI` and other modules of Apple become the modules that stand in for them.
/// - `import Foundation` and `import XCTest` also import UIKit, which has what Foundation lacks on Linux.
/// - `os(iOS)` in `#if` becomes true.
/// - `#Preview` disappears.
/// - `@main` disappears from the app's delegate or its `App`: the runner's own `main` launches it.
/// - `@UIApplicationDelegateAdaptor(AppDelegate.self)` becomes `@UIApplicationDelegateAdaptor(AppDelegate())`.
/// - `UserDefaults.standard` becomes `UserDefaults.appleStandard`, which posts a notification after each change.
/// - `URL(string: x)` and `NSURL(string: x)` of an app become `URL(string: bridgedAddress(x))`, so that the app can run against another server.
/// - The outlets and actions of an app's classes get tables at the end of the file, by which storyboards find them.
/// - Each optional requirement of a protocol gets a default.
/// - A member that an extension overrides gets another name, because only classes can override on Linux.
final class Rewriter: SyntaxVisitor {
    struct Result {
        let source: String
        let edits: [(line: Int, reason: String)]
        /// The class that had `@main` or `@UIApplicationMain`.
        let appDelegate: String?
        /// The `App` of SwiftUI that had `@main`.
        let app: String?
        /// The classes that say that they are scene delegates.
        let sceneDelegates: [String]
        /// The tables of outlets and actions that the source has at its end.
        let tables: [String]
    }

    private var edits: [Edit] = []
    private var appDelegate: String?
    private var app: String?
    private var sceneDelegates: [String] = []
    /// Whether the file is one of an app, and not of a library.
    private let isApp: Bool

    private init(isApp: Bool) {
        self.isApp = isApp
        super.init(viewMode: .sourceAccurate)
    }

    /// - Parameter tests: the test classes of the module; nil if it has none.
    static func rewrite(_ source: String, isApp: Bool = false, tests: TestClasses? = nil) -> Result {
        let tree = Parser.parse(source: source)
        let rewriter = Rewriter(isApp: isApp)
        rewriter.walk(tree)
        if let tests {
            let testRewriter = TestRewriter(tests)
            testRewriter.walk(tree)
            rewriter.edits += testRewriter.edits
        }
        let converter = SourceLocationConverter(fileName: "", tree: tree)
        let lines = rewriter.edits.filter { !$0.reason.isEmpty }.map {
            (converter.location(for: AbsolutePosition(utf8Offset: $0.range.lowerBound)).line, $0.reason)
        }
        let interface = isApp ? InterfaceTables(tree) : nil
        return Result(
            source: rewriter.edits.applied(to: source) + (interface?.source ?? ""), edits: lines,
            appDelegate: rewriter.appDelegate, app: rewriter.app,
            sceneDelegates: rewriter.sceneDelegates, tables: interface?.names ?? [])
    }

    /// Replaces a node's own text, without the spaces and comments around it.
    private func replace(_ node: some SyntaxProtocol, with text: String, _ reason: String) {
        let range = node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
        // A replacement on one line for several lines gets their line breaks, so that the lines below keep their numbers.
        let breaks = node.trimmedDescription.filter(\.isNewline).count - text.filter(\.isNewline).count
        edits.append(
            Edit(range: range, replacement: text + String(repeating: "\n", count: max(0, breaks)), reason: reason))
    }

    // MARK: Selectors

    /// `#Preview` of SwiftUI.
    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.macroName.text == "Preview" else { return .visitChildren }
        removePreview(node)
        return .skipChildren
    }

    private func removePreview(_ node: some SyntaxProtocol) { replace(node, with: "", "only Xcode shows previews") }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        if node.macroName.text == "Preview" {
            removePreview(node)
            return .skipChildren
        }
        if node.macroName.text == "keyPath", let path = node.arguments.first?.expression.as(MemberAccessExprSyntax.self)
        {
            replace(node, with: "\"\(path.declName.baseName.text)\"", "#keyPath needs the Objective-C runtime")
            return .skipChildren
        }
        guard node.macroName.text == "selector", let argument = node.arguments.first else { return .visitChildren }
        let name = Rewriter.methodName(argument.expression)
        guard argument.label == nil else {
            replace(
                node, with: "Selector(\"\(argument.label?.text ?? ""): \(name)\")",
                "a property's selector has a name only")
            return .skipChildren
        }
        replace(
            node, with: "Selector(\"\(name)\", \(Rewriter.methodReference(argument.expression)))",
            "#selector needs the Objective-C runtime")
        return .skipChildren
    }

    /// `refresh(_:)` of `refresh(_:)`, `self.refresh(_:)` and `Screen.refresh(_:)`.
    static func methodName(_ expression: ExprSyntax) -> String {
        expression.as(MemberAccessExprSyntax.self)?.declName.trimmedDescription ?? expression.trimmedDescription
    }

    /// A reference to the method of a type: `Self.refresh(_:)`, or `Screen.refresh(_:)` if the type is named.
    static func methodReference(_ expression: ExprSyntax) -> String {
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return "Self.\(expression.trimmedDescription)"
        }
        let isInstance = ["self", "super"].contains(base.trimmedDescription)
        return "\(isInstance ? "Self" : base.trimmedDescription).\(member.declName.trimmedDescription)"
    }

    // MARK: Attributes and modifiers

    private static let attributes: Set = [
        "objc", "objcMembers", "nonobjc", "IBAction", "IBOutlet", "IBInspectable", "IBDesignable", "NSCopying",
        "GKInspectable",
    ]

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.attributeName.trimmedDescription
        if Rewriter.attributes.contains(name) {
            replace(node, with: "", "@\(name) needs the Objective-C runtime")
        } else if name == "main" || name == "UIApplicationMain" {
            replace(node, with: "", "the runner launches the app")
            if node.parent?.parent?.is(StructDeclSyntax.self) == true {
                app = node.ancestor(StructDeclSyntax.self)?.name.text ?? app
                return .skipChildren
            }
            appDelegate = node.ancestor(ClassDeclSyntax.self)?.name.text ?? appDelegate
        }
        if name == "UIApplicationDelegateAdaptor" { nameDelegate(node) }
        return .skipChildren
    }

    /// Linux cannot make an object of a type that only a value names.
    private func nameDelegate(_ node: AttributeSyntax) {
        let reason = "Linux makes no object of a type that a value names"
        let argument = node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression
        if let type = argument?.as(MemberAccessExprSyntax.self), type.declName.baseName.text == "self",
            let base = type.base
        {
            replace(type, with: "\(base.trimmedDescription)()", reason)
        } else if node.arguments == nil,
            let type = node.ancestor(VariableDeclSyntax.self)?.bindings.first?.typeAnnotation?.type
        {
            replace(node, with: "@UIApplicationDelegateAdaptor(\(type.trimmedDescription)())", reason)
        }
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "dynamic" { replace(node, with: "", "dynamic needs the Objective-C runtime") }
        return .skipChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.name.text, node.inheritanceClause)
        return .visitChildren
    }

    /// Notes a type that is a scene delegate.
    private func note(_ name: String, _ clause: InheritanceClauseSyntax?) {
        let inherited = clause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        if inherited.contains(where: { ["UIWindowSceneDelegate", "UISceneDelegate"].contains($0) }) {
            sceneDelegates.append(name)
        }
    }

    // MARK: Optional requirements

    /// Only Objective-C has requirements that a type need not meet. Here each gets a default that does nothing.
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        let reason = "a protocol has no optional requirements on Linux"
        var defaults: [String] = []
        for function in node.memberBlock.members.compactMap({ $0.decl.as(FunctionDeclSyntax.self) }) {
            let signature = function.signature.trimmedDescription
            guard let optional = function.modifiers.first(where: { $0.name.text == "optional" }),
                let value = EmptyValue.of(function.signature.returnClause?.type), !signature.contains("//")
            else { continue }
            replace(optional, with: "", reason)
            let oneLine = signature.split(whereSeparator: \.isNewline).joined(separator: " ")
            defaults.append("func \(function.name.text)\(oneLine) { \(value) }")
        }
        if !defaults.isEmpty {
            let isPublic = node.modifiers.contains { $0.name.text == "public" }
            let text =
                " \(isPublic ? "public " : "")extension \(node.name.text) { \(defaults.joined(separator: "; ")) }"
            insert(text, at: node.endPositionBeforeTrailingTrivia, reason)
        }
        return .visitChildren
    }

    // MARK: Observers

    /// Objective-C's `NSObject` has the method, and Linux's has not.
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.name.text == "observeValue", let type = node.ancestor(ClassDeclSyntax.self),
            let override = node.modifiers.first(where: { $0.name.text == "override" }),
            let above = type.inheritanceClause?.inheritedTypes.first?.type, above.trimmedDescription == "NSObject"
        else { return .visitChildren }
        let reason = "NSObject has no key-value observing on Linux"
        replace(override, with: "", reason)
        insert(", KeyValueObserving", at: above.endPositionBeforeTrailingTrivia, reason)
        return .visitChildren
    }

    // MARK: Overrides in extensions

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.extendedType.trimmedDescription, node.inheritanceClause)
        for member in node.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                rename(variable.modifiers, variable.bindings.first?.pattern)
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                rename(function.modifiers, function.name)
            }
        }
        return .visitChildren
    }

    private func rename(_ modifiers: DeclModifierListSyntax, _ name: (some SyntaxProtocol)?) {
        guard let override = modifiers.first(where: { $0.name.text == "override" }), let name else { return }
        let reason =
            "an extension cannot override on Linux; the member is called overridden_\(name.trimmedDescription) here"
        replace(override, with: "", reason)
        replace(name, with: "overridden_\(name.trimmedDescription)", reason)
    }

    // MARK: Addresses

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard isApp, ["URL", "URL.init", "NSURL", "NSURL.init"].contains(node.calledExpression.trimmedDescription),
            let argument = node.arguments.first, argument.label?.text == "string"
        else { return .visitChildren }
        let value = argument.expression
        let reason = "bridged run --url replaces the address of the app's server"
        insert("bridgedAddress(", at: value.positionAfterSkippingLeadingTrivia, reason)
        insert(")", at: value.endPositionBeforeTrailingTrivia, nil)
        return .visitChildren
    }

    private func insert(_ text: String, at position: AbsolutePosition, _ reason: String?) {
        edits.append(Edit(range: position.utf8Offset..<position.utf8Offset, replacement: text, reason: reason ?? ""))
    }

    // MARK: Members and modules by name

    /// `UserDefaults.standard`, and `os.Logger` in an expression.
    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard let base = node.base?.as(DeclReferenceExprSyntax.self) else { return .visitChildren }
        if base.baseName.text == "UserDefaults", node.declName.baseName.text == "standard" {
            replace(node.declName, with: "appleStandard", "UserDefaults on Linux do not say that a value has changed")
        }
        renameModule(base.baseName)
        return .visitChildren
    }

    /// `os.Logger` as a type.
    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.baseType.as(IdentifierTypeSyntax.self) { renameModule(base.name) }
        return .visitChildren
    }

    private func renameModule(_ name: TokenSyntax) {
        // `OSLog` is also a class.
        guard ["os", "SwiftUI"].contains(name.text), let other = Rewriter.modules[name.text] else { return }
        replace(name, with: other, "\(other) stands in for \(name.text)")
    }

    // MARK: Imports and conditions

    /// The modules that stand in for Apple's. A module with Apple's own name would change what `canImport` says to every
    /// package of the app.
    private static let modules = [
        "os": "HeadlessOSLog", "OSLog": "HeadlessOSLog", "SwiftUI": "HeadlessSwiftUI", "SafariServices": "UIKit",
        "UserNotifications": "UIKit", "StoreKit": "UIKit", "QuartzCore": "UIKit", "CoreGraphics": "UIKit",
        "ObjectiveC": "UIKit", "Combine": "OpenCombineShim",
    ].merging(outside.map { ($0, "UIKit") }) { first, _ in first }

    /// Modules of which UIKit declares a little, so that apps compile. A type that it lacks is named as missing.
    private static let outside = [
        "AVFoundation", "AVKit", "AdSupport", "AppTrackingTransparency", "AudioToolbox", "AuthenticationServices",
        "BackgroundTasks", "Contacts", "ContactsUI", "CoreHaptics", "CoreImage", "CoreLocation", "CoreMotion",
        "CoreNFC",
        "EventKit", "EventKitUI", "LinkPresentation", "LocalAuthentication", "MapKit", "MessageUI",
        "MobileCoreServices",
        "PassKit", "Photos", "PhotosUI", "QuickLook", "Security", "UniformTypeIdentifiers", "Vision", "VisionKit",
        "WidgetKit",
    ]

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let module = node.path.first?.name.text else { return .skipChildren }
        if ["Foundation", "XCTest", "WebKit"].contains(module), node.path.count == 1 {
            replace(node.path, with: "\(module); import UIKit", "\(module) brings what UIKit has on Linux")
        } else if let other = Rewriter.modules[module] {
            replace(node.path, with: other, "\(other) stands in for \(module)")
        }
        return .skipChildren
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        if let condition = node.condition { ConditionFinder(self).walk(condition) }
        return .visitChildren
    }

    fileprivate func replaceCondition(_ node: FunctionCallExprSyntax) {
        guard node.calledExpression.trimmedDescription == "os", node.arguments.trimmedDescription == "iOS" else {
            return
        }
        replace(node, with: "os(Linux)", "the app runs as if on iOS")
    }

    private final class ConditionFinder: SyntaxVisitor {
        private let rewriter: Rewriter

        init(_ rewriter: Rewriter) {
            self.rewriter = rewriter
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
            rewriter.replaceCondition(node)
            return .skipChildren
        }
    }
}

extension SyntaxProtocol {
    func ancestor<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
        parent.flatMap { $0.as(type) ?? $0.ancestor(type) }
    }
}
