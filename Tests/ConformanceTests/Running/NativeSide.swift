/// What native code does in a case: one web view with its content controller.
@MainActor protocol NativeSide: AnyObject {
    /// What happens to it, in order.
    var onEvent: ((NativeEvent) -> Void)? { get set }

    func evaluate(_ script: String, sourceURL: String?, world: String?, completion: @escaping (NativeResult) -> Void)
    func callAsync(_ body: String, arguments: [String: Any], world: String?, completion: @escaping (NativeResult) -> Void)
    func load(_ url: String)
    func loadHTML(_ html: String, baseURL: String?)
    func reload()
    func goBack()
    func goForward()
    func stopLoading()
    /// - Returns: whether Apple's would take the handler.
    func register(_ handler: OracleCase.Handler) -> Bool
    func unregister(_ name: String, world: String?)
    func add(_ script: OracleCase.Script)
    func removeAllUserScripts()
    /// Has nothing to do with pages from now on.
    func close()
}

enum NativeEvent {
    case loadStarted, loadCommitted, loadFinished
    /// `reply` is nil for a handler that does not reply. The second of its arguments is a rejection's text.
    case message(handler: String, body: Any?, reply: ((Any?, String?) -> Void)?)
}

enum NativeResult {
    case value(Any?)
    case error(Tree)
}
