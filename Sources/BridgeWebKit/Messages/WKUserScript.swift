import BridgeServer
public import Foundation

public enum WKUserScriptInjectionTime: Int, Sendable {
    case atDocumentStart = 0
    case atDocumentEnd = 1
}

/// A script that runs in every new document of a web view.
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

    /// - Parameter contentWorld: pages with the script tag have only `page`. A script for another world does not run there,
    ///   and a `problem` record reports it.
    public init(
        source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        in contentWorld: WKContentWorld
    ) {
        script = UserScript(
            source: source, injectionTime: injectionTime == .atDocumentStart ? .atDocumentStart : .atDocumentEnd,
            forMainFrameOnly: forMainFrameOnly, world: contentWorld.key)
        world = contentWorld
    }

    /// Makes a script that runs only in certain documents. In WebKit this is
    /// `-_initWithSource:…includeMatchPatternStrings:excludeMatchPatternStrings:…`, which is private.
    ///
    /// - Parameters:
    ///   - includeMatchPatternStrings: patterns `scheme://host/path`, with `*` for any text. If there are any, the
    ///     script runs only in documents that match one.
    ///   - excludeMatchPatternStrings: patterns of documents in which the script does not run.
    public init(
        _source source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        includeMatchPatternStrings: [String], excludeMatchPatternStrings: [String],
        contentWorld: WKContentWorld = .page
    ) {
        script = UserScript(
            source: source, injectionTime: injectionTime == .atDocumentStart ? .atDocumentStart : .atDocumentEnd,
            forMainFrameOnly: forMainFrameOnly, includedPatterns: includeMatchPatternStrings,
            excludedPatterns: excludeMatchPatternStrings, world: contentWorld.key)
        world = contentWorld
    }

    /// Returns itself, because a script never changes.
    open nonisolated override func copy() -> Any { self }
    open nonisolated func copy(with zone: NSZone? = nil) -> Any { self }
}
