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

    /// - Parameters:
    ///   - includeMatchPatternStrings: `scheme://host/path`, with `*` for any text. Where there are any, the script runs
    ///     in documents that match one.
    ///   - excludeMatchPatternStrings: where a document matches one, the script does not run in it.
    ///
    /// WebKit's own, as `-_initWithSource:…includeMatchPatternStrings:excludeMatchPatternStrings:…`, which apps may not
    /// use, and browsers on WebKit do.
    public init(
        _source source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        includeMatchPatternStrings: [String], excludeMatchPatternStrings: [String]
    ) {
        script = UserScript(
            source: source, injectionTime: injectionTime == .atDocumentStart ? .atDocumentStart : .atDocumentEnd,
            forMainFrameOnly: forMainFrameOnly, includedPatterns: includeMatchPatternStrings,
            excludedPatterns: excludeMatchPatternStrings)
        world = .page
    }

    /// It never changes: the copy is itself.
    open nonisolated override func copy() -> Any { self }
    open nonisolated func copy(with zone: NSZone? = nil) -> Any { self }
}
