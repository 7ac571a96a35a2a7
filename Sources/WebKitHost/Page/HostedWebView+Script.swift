import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

extension HostedWebView {
    /// Runs a script in the document that is shown, as WebKit does for native code.
    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        if let world = script.world { keep(world) }
        let data = Unmanaged.passRetained(Completion(completion)).toOpaque()
        switch script.program {
        case .script(let source, let url):
            withBytes(of: source) { text, count in
                webkit_web_view_evaluate_javascript(
                    view.pointer, text, count, script.world, url, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: true) { view, error in
                            webkit_web_view_evaluate_javascript_finish(view, result, error)
                        }
                    }, data)
            }
        case .asyncFunction(let body, let arguments):
            let call = FunctionCall(body: body, arguments: arguments)
            withBytes(of: call.body) { text, count in
                webkit_web_view_call_async_javascript_function(
                    view.pointer, text, count, call.makeArguments(), script.world, nil, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: false) { view, error in
                            webkit_web_view_call_async_javascript_function_finish(view, result, error)
                        }
                    }, data)
            }
        }
    }

    private func withBytes(of text: String, _ body: (UnsafePointer<CChar>?, Int) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}

/// What to do when WebKit has run a script.
@MainActor private final class Completion {
    private let run: @MainActor (EvaluationResult) -> Void

    init(_ run: @escaping @MainActor (EvaluationResult) -> Void) { self.run = run }

    /// - Parameters:
    ///   - data: a retained completion.
    ///   - view: the view, as an object of GObject.
    ///   - take: takes the result, or sets an error.
    static func finish(
        _ data: UnsafeMutableRawPointer?, _ view: UnsafeMutablePointer<_GObject>?, hasPosition: Bool,
        take: (UnsafeMutablePointer<WebKitWebView>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) ->
            UnsafeMutablePointer<JSCValue>?
    ) {
        guard let data else { return }
        let completion = Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
        var error: UnsafeMutablePointer<GError>?
        let value = take(UnsafeMutableRawPointer(view)?.assumingMemoryBound(to: WebKitWebView.self), &error)
        completion.run(result(value, error, hasPosition: hasPosition))
        if let error { g_error_free(error) }
    }

    private static func result(
        _ value: UnsafeMutablePointer<JSCValue>?, _ error: UnsafeMutablePointer<GError>?, hasPosition: Bool
    ) -> EvaluationResult {
        if let error { return .failure(ScriptFailure.error(error, hasPosition: hasPosition)) }
        guard let value = value.map(GObject.init(adopting:)) else { return .failure(.resultTypeUnsupported("")) }
        do {
            return .success(.members(try ScriptValueCodec.of(value).value(value)))
        } catch {
            return .failure(.resultTypeUnsupported(error.reason))
        }
    }
}
