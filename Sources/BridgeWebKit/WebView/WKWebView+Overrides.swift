import BridgeProtocol

// On Apple the two forms of `evaluateJavaScript` are one Objective-C method: who overrides either has both. Here each
// form of the base class calls the other one of a subclass, unless it is called from there.
extension WKWebView {
    /// The web view whose other form is running.
    @TaskLocal private static var withinOtherForm: ObjectIdentifier?

    var isSubclass: Bool { type(of: self) != WKWebView.self }

    var isWithinOtherForm: Bool { WKWebView.withinOtherForm == ObjectIdentifier(self) }

    func withinOtherForm(_ body: () -> Void) {
        WKWebView.$withinOtherForm.withValue(ObjectIdentifier(self), operation: body)
    }

    /// Runs app code up to its first suspension before this returns, so that scripts and messages keep their order.
    func startImmediately(_ body: @escaping @MainActor () async -> Void) {
        if #available(macOS 26.0, *) {
            Task.immediate { await body() }
        } else {
            Task { await body() }
        }
    }
}

/// A native value on its way through a continuation.
///
/// `@unchecked Sendable`: it is made on the main actor and taken there.
struct OnMainActor: @unchecked Sendable {
    let value: Any?
}

extension ScriptValue {
    var boxedValue: OnMainActor { OnMainActor(value: nativeValue) }
}
