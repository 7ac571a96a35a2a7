import BridgeProtocol
import BridgeServer

/// A native menu: a sheet that the page opens (`display`), or a menu behind a button in the bar (`connect`).
final class MenuComponent: BridgeComponent, EmulatedComponent {
    private struct Menu: Decodable {
        struct Item: Decodable {
            let title: String
            let index: Int?
            /// Whether the item is red; see bridge-components, `MenuComponent.swift`.
            let destructive: Bool?
        }
        let title: String?
        let items: [Item]
    }

    override class var name: String { "menu" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A sheet that the page opens, or a menu behind a button in the bar. `item` is a title, or a number from 1.",
            events: [
                .init(
                    "display", data: "title?, items: [{title, index?, destructive?}]",
                    "Opens the sheet. A selection replies with `{selectedIndex}`."),
                .init(
                    "connect", data: "items: [{title, index?, destructive?}]",
                    "Shows the button. Each selection replies with `{index}`."),
                .init("disconnect", "Removes the menu."),
            ],
            state: "`{title, items, destructive, isOpen}` with the titles of items",
            actions: [
                .init("select", "Selects an item, given by its title or by its number from 1.", required: ["item"]) {
                    (menu: MenuComponent, arguments) in try menu.select(arguments["item", default: ""])
                },
                .init("dismiss", "Closes the sheet without a reply.") { (menu: MenuComponent, _) in
                    guard menu.shown?.event == "display" else {
                        throw ActionRefusal("no menu is open. Its page sends display to open one.")
                    }
                    menu.hide()
                },
            ])
    }

    /// The menu, and the event that it replies to.
    private var shown: (event: String, menu: Menu)?

    var state: JSONValue? {
        shown.map { shown in
            [
                "title": .init(text: shown.menu.title), "items": .array(shown.menu.items.map { .string($0.title) }),
                "destructive": .array(shown.menu.items.filter { $0.destructive ?? false }.map { .string($0.title) }),
                "isOpen": .bool(shown.event == "display"),
            ]
        }
    }

    override func onReceive(message: Message) {
        guard message.event != "disconnect" else { return shown = nil }
        guard let menu: Menu = message.data() else { return }
        shown = (message.event, menu)
    }

    private func select(_ name: String) throws {
        guard let (event, menu) = shown else {
            throw ActionRefusal("the screen has no menu. Its page sends display or connect to get one.")
        }
        let number = menu.items.indices.first { Int(name) == $0 + 1 }
        guard let position = menu.items.firstIndex(where: { $0.title == name }) ?? number else {
            throw ActionRefusal(
                "the menu has no item '\(name)'. It has: \(menu.items.map(\.title).joined(separator: ", ")).")
        }
        reply(to: event, with: [event == "display" ? "selectedIndex" : "index": menu.items[position].index ?? position])
        hide()
    }

    /// Closes the sheet. The button of a connected menu stays.
    private func hide() {
        if shown?.event == "display" { shown = nil }
    }
}
