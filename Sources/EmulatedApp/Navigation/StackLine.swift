import BridgeInput
public import BridgeProtocol
import Foundation

/// The screens on both stacks as a line for people, such as `main: / › /one   modal: /new [Submit]`.
public struct StackLine: Sendable, Equatable {
    /// The names of the screens, from bottom to top; see ``Screen/name``.
    public let main: [String]
    public let modal: [String]
    /// The titles of the buttons on the screen that the user sees.
    public var buttons: [String]
    /// URLs of this origin are shown as paths. The origin of main's first screen if nil.
    public var origin: String?

    public init(main: [String], modal: [String], buttons: [String] = [], origin: String? = nil) {
        (self.main, self.modal, self.buttons, self.origin) = (main, modal, buttons, origin)
    }

    public init(_ state: NavigationState) {
        self.init(main: state.main.map(\.name), modal: state.modal.map(\.name))
    }

    /// Reads the stacks in the fields of a record `navigation`.
    public init?(navigation fields: [JSONValue.Member]) {
        func names(_ key: String) -> [String]? {
            guard case .array(let names) = fields.first(where: { $0.key == key })?.value else { return nil }
            return names.compactMap(\.string)
        }
        guard let main = names("main"), let modal = names("modal") else { return nil }
        self.init(main: main, modal: modal)
    }

    /// Reads the stacks, and the buttons of the visible screen, in `app.state`.
    public init(appState state: JSON) {
        func screens(_ key: String) -> [JSON] {
            var screens: [JSON] = []
            state[key]?.forEachElement { screens.append($0) }
            return screens
        }
        func name(_ screen: JSON) -> String {
            screen["native"]?.string.map { "native:\($0)" } ?? screen["url"]?.string ?? ""
        }
        let (main, modal) = (screens("main"), screens("modal"))
        self.init(main: main.map(name), modal: modal.map(name))
        buttons = (modal.last ?? main.last).map(StackLine.buttons) ?? []
    }

    /// The titles, or else the icons, of the buttons that a screen of `app.state` has.
    private static func buttons(of screen: JSON) -> [String] {
        var titles: [String] = []
        screen["barButtons"]?.forEachElement { titles.append($0["icon"]?.string ?? "") }
        let components = screen["components"]
        func title(_ button: JSON?) -> String? {
            button.flatMap { $0["title"]?.string ?? $0["label"]?.string ?? $0["image"]?.string }
        }
        let buttons = [
            components?["button"]?["left"], components?["button"]?["right"], components?["form"],
            components?["overflow-menu"],
        ]
        return titles + buttons.compactMap(title)
    }
}

extension StackLine: JSONObject {
    public var members: JSONMembers { ["main": main, "modal": modal] }
}

extension StackLine: CustomStringConvertible {
    public var description: String {
        let origin = origin ?? main.lazy.compactMap { URL(string: $0) }.first { $0.host != nil }?.originText
        let modal = modal.isEmpty ? "" : "   modal: \(StackLine.path(modal, origin))"
        let buttons = buttons.isEmpty ? "" : " [\(buttons.joined(separator: ", "))]"
        return "main: \(main.isEmpty ? "nothing" : StackLine.path(main, origin))\(modal)\(buttons)"
    }

    private static func path(_ names: [String], _ origin: String?) -> String {
        names.map { name in
            guard let origin, name.hasPrefix(origin + "/") || name == origin else { return name }
            let path = name.dropFirst(origin.count)
            return path.isEmpty ? "/" : String(path)
        }.joined(separator: " › ")
    }
}
