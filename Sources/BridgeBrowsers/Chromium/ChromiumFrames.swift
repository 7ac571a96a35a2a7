import BridgeProtocol

/// The frames of a target of Chromium, with the documents and pages in them.
@MainActor final class ChromiumFrames {
    /// The web view whose documents these are; nil for a window that stands for none.
    private(set) var webView: DrivenWebView?
    /// Whether the main frame is that of a window.
    private(set) var isWindow = false
    private var main = ""
    private var frames: [String: ChromiumFrame] = [:]

    func attach(to webView: DrivenWebView?) { self.webView = webView }

    /// Reads the answer of `Page.getFrameTree`.
    func identify(_ result: Result<JSON, BrowserError>) {
        guard case .success(let json) = result, let frame = json["frameTree"]?["frame"] else { return }
        main = frame["id"]?.string ?? ""
        isWindow = frame["parentId"] == nil
    }

    subscript(id: String) -> ChromiumFrame? { frames[id] }

    func add(_ frame: ChromiumFrame) { frames[frame.id] = frame }

    func remove(_ id: String) { frames[id] = nil }

    /// All frames in a stable order.
    var all: [ChromiumFrame] { frames.sorted { $0.key < $1.key }.map(\.value) }

    func isMain(_ id: String) -> Bool { id == main }

    var mainFrame: ChromiumFrame? { frames[main] }
    var mainPage: DrivenPage? { mainFrame?.document?.page }

    /// The page of a frame, or of the main frame if that has none.
    func page(of id: String) -> DrivenPage? { frames[id]?.document?.page ?? mainPage }

    /// The page whose connection serves to ask native code about a load of a frame; nil if there is none.
    func pageToAsk(about id: String) -> DrivenPage? {
        [frames[id]?.document?.page, mainPage].compactMap(\.self).first { !$0.hasLeft }
    }

    var limits: DriverLimits { webView?.limits ?? DriverLimits() }
}

/// The DevTools session of a target, over the browser's pipe.
@MainActor struct ChromiumSession {
    let id: String
    let pipe: DevToolsPipe

    func send(
        _ method: String, _ params: (inout JSONWriter) -> Void = { _ in },
        completion: ((Result<JSON, BrowserError>) -> Void)? = nil
    ) {
        pipe.send(method, in: id, params, completion: completion)
    }

    @discardableResult func call(
        _ method: String, _ params: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> JSON {
        try await pipe.call(method, in: id, params)
    }
}
