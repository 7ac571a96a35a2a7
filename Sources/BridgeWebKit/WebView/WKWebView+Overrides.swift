import BridgeProtocol

// On Apple's systems, the two forms of `evaluateJavaScript` are one Objective-C method, so that overriding either
// overrides both. Here each form of the base class calls the subclass's other form, unless that form called it.
extension WKWebView {
    /// The web view whose one form of `evaluateJavaScript` is calling the other form in this task.
    @TaskLocal private static var withinOtherForm: ObjectIdentifier?

    var isSubclass: Bool { type(of: self) != WKWebView.self }

    var isWithinOtherForm: Bool { WKWebView.withinOtherForm == ObjectIdentifier(self) }

    func withinOtherForm(_ body: () -> Void) {
        WKWebView.$withinOtherForm.withValue(ObjectIdentifier(self), operation: body)
    }

    /// Runs the app's code up to its first suspension before this returns.
    func startImmediately(_ body: @escaping @MainActor () async -> Void) { BridgeProtocol.startImmediately(body) }
}

/// A wrapper that carries a native value through a continuation.
///
/// `@unchecked Sendable`: the value is both made and used on the main actor.
struct OnMainActor: @unchecked Sendable {
    let value: Any?
}

extension ScriptValue {
    var boxedValue: OnMainActor { OnMainActor(value: nativeValue) }
}
