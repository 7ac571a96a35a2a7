import BridgeProtocol
import BridgeServer
import Foundation
public import PathConfiguration

extension Framework {
    /// The part of the user agent that the framework adds, as its `UserAgent.swift` or `HotwireConfig.kt` does.
    /// - Parameters:
    ///   - prefix: what the app puts before it.
    ///   - components: the names of the bridge components in the order in which the app registers them.
    func userAgent(prefix: String? = nil, components: [String]) -> String {
        (prefix.map { "\($0) " } ?? "") + userAgentPart(components)
    }

    private func userAgentPart(_ components: [String]) -> String {
        let list = "bridge-components: [\(components.joined(separator: " "))]"
        switch self.components {
        case .none: return "Turbo Native \(platform.name)"
        case .strada: return "Turbo Native \(platform.name) \(list)"
        case .hotwireNative: break
        }
        let end = platform == .android ? ";" : ""
        return "Hotwire Native \(platform.name); Turbo Native \(platform.name); \(list)\(end)"
    }

    /// How this release reads a path configuration.
    public func pathOptions(matchQueryStrings: Bool = true) -> PathConfigurationDocument.Options {
        .init(
            platform: platform, matchQueryStrings: matchQueryStrings,
            includesHistoricalLocations: knowsHistoricalLocations, subject: pathSubject,
            vocabulary: vocabulary)
    }

    /// Returns the browser or app that opens a link which Turbo does not handle; nil if the app routes it.
    func destination(ofLink url: URL, startLocation: URL?) -> ExternalBrowser? {
        switch links {
        case .handlers: nil
        case .leaves: ExternalBrowser(for: url)
        case .leavesAsInDemo: url.host == startLocation?.host && !url.pathExtension.isEmpty ? .browser : .system
        }
    }

    /// Returns the name of the native screen for a URL: its `view_controller` on iOS, and the fragment in its `uri` on
    /// Android. There, `hotwire://fragment/web` and the paths below it are web screens.
    /// - Returns: nil for a web screen.
    public func nativeScreen(of properties: PathProperties) -> String? {
        guard let text: String = properties[nativeScreenKey] else { return nil }
        guard platform == .android else { return text == "web" ? nil : text }
        let parts = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
        return parts.first == "web" || parts.isEmpty ? nil : parts.joined(separator: "/")
    }
}

extension JavascriptInterface {
    /// The stand-in for `nativeApp` on Android, which has no message handlers: pages call
    /// `nativeApp.postMessage(JSON.stringify(message))`.
    @MainActor static func nativeApp(_ dispatcher: ScriptMessageDispatcher) -> JavascriptInterface {
        var object = JavascriptInterface()
        object.message("postMessage") { body, context in dispatcher.dispatch(body, context: context) }
        return object
    }
}
