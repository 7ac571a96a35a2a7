import BridgeServer
public import Foundation

public enum WKUserScriptInjectionTime: Int, Sendable {
    case atDocumentStart = 0
    case atDocumentEnd = 1
}

/// Script that runs in every new document of a web view.
@preconcurrency @MainActor open class WKUserScript: NSObject, NSCopying {
    open var source: String { script.source }
    open var injectionTime: WKUserScriptInjectionTime {
        script.injectionTime == .atDocumentStart ? .atDocumentStart : .atDocumentEnd
    }
    open var isForMainFrameOnly: Bool { script.forMainFrameOnly }

    let script: UserScript
    let world: WKContentWorld

    public convenience init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
        self.init(source: source, injectionTime: injectionTime, forMainFrameOnly: forMainFrameOnly, in: .page)
    }

    /// - Parameter contentWorld: another than `page` can't be had; a web view leaves out the script, and a `problem`
    ///   record says so.
    public init(
        source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        in contentWorld: WKContentWorld
    ) {
        script = UserScript(
            source: source, injectionTime: injectionTime == .atDocumentStart ? .atDocumentStart : .atDocumentEnd,
            forMainFrameOnly: forMainFrameOnly)
        world = contentWorld
    }

    /// It never changes: the copy is itself.
    open nonisolated override func copy() -> Any { self }
    open nonisolated func copy(with zone: NSZone? = nil) -> Any { self }
}
