import BridgeProtocol
import Foundation

/// The native half of hotwire-native-dev-tools, which shows the app's screens in the page.
final class DevToolsComponent: BridgeComponent, EmulatedComponent {
    private struct Properties: Decodable { let url: URL }
    private struct Vibrate: Decodable { let style: String? }

    private struct ScreenInfo: Encodable {
        let type: String
        let title: String
        let url: String?
        let pathConfigurationProperties: String?
        let children: [ScreenInfo]
    }

    override class var name: String { "dev-tools" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "Answers the questions of hotwire-native-dev-tools.",
            events: [
                .init("connect", "Replies with `{callbackReason: \"connected\"}`."),
                .init("currentStackInfo", "Replies with `{stack}`: the stacks with their screens."),
                .init(
                    "propertiesForUrl", data: "url",
                    "Replies with `{properties}` in the path configuration, as JSON text."),
                .init("vibrate", data: "style?", "Vibrates the device."),
            ],
            state: "`{vibrated}`")
    }

    private var vibrated: String?

    var state: JSONValue? { vibrated.map { ["vibrated": .string($0)] } }

    override func onReceive(message: Message) {
        switch message.event {
        case "connect": reply(to: "connect", with: ["callbackReason": "connected"])
        case "currentStackInfo": reply(to: "currentStackInfo", with: ["stack": stacks])
        case "propertiesForUrl":
            guard let data: Properties = message.data() else { return }
            reply(to: "propertiesForUrl", with: ["properties": properties(for: data.url)])
        default:
            guard let data: Vibrate = message.data() else { return }
            vibrated = data.style ?? "light"
        }
    }

    private var stacks: [ScreenInfo] {
        guard let navigation = app?.navigation else { return [] }
        return NavigationStack.allCases.filter { !navigation[$0].isEmpty }.map { stack in
            ScreenInfo(
                type: "UINavigationController", title: stack.rawValue, url: nil, pathConfigurationProperties: nil,
                children: navigation[stack].map(info))
        }
    }

    private func info(_ screen: Screen) -> ScreenInfo {
        ScreenInfo(
            type: screen.isWeb ? "VisitableViewController" : screen.name, title: screen.title ?? "",
            url: screen.url.absoluteString, pathConfigurationProperties: properties(for: screen.url), children: [])
    }

    private func properties(for url: URL) -> String {
        app?.configuration.pathConfiguration.properties(for: url).text ?? "{}"
    }
}
