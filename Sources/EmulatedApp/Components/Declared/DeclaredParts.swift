import BridgeProtocol
import BridgeServer

/// The native parts that a declared component shows on its screen, and what the app does when its user acts on them.
@MainActor final class DeclaredParts {
    private struct Item {
        let title: String
        /// The item's own `index`, or else its position from 0.
        let index: JSONValue
        let response: ComponentResponse?
    }

    private struct Shown {
        let kind: ComponentPart.Kind
        /// The message that made the app show the part.
        let origin: Message
        var members: [JSONValue.Member] = []
        var items: [Item] = []
        let response: ComponentResponse?
        var side = ComponentPart.Side.right
        var isEnabled = true
        var text = ""
    }

    /// The component, which owns this object.
    private unowned let component: BridgeComponent
    /// The shown parts. A user sees the last one in front of the others.
    private var shown: [Shown] = []

    init(of component: BridgeComponent) { self.component = component }

    // MARK: Responding

    /// Does what a response says.
    /// - Parameters:
    ///   - message: the message that led here, directly or by the user's action on what it made the app show.
    ///   - choice: what the user chose or typed, which names such as `$title` find before the message's data.
    func respond(_ response: ComponentResponse, to message: Message, choice: [JSONValue.Member] = []) {
        guard response.delay > .zero else { return respondNow(response, message, choice) }
        Task { [weak component] in
            try? await Task.sleep(for: response.delay)
            component?.declaredParts.respondNow(response, message, choice)
        }
    }

    private func respondNow(_ response: ComponentResponse, _ message: Message, _ choice: [JSONValue.Member]) {
        let data = JSONValue.object((message.members ?? []) + choice)
        shown.removeAll { response.hides.contains($0.kind) }
        for part in response.parts { show(part, message, data) }
        if let enables = response.enables {
            for index in shown.indices where shown[index].kind == .barButton { shown[index].isEnabled = enables }
        }
        guard let target = target(of: response, message) else { return }
        switch response.reply {
        case .nothing: return
        case .echo: component.reply(with: target, completion: nil)
        case .data(let reply):
            let reply = DeclaredText.resolve(reply, in: data) ?? .object([])
            component.reply(with: target.replacing(jsonData: reply.text), completion: nil)
        }
    }

    /// The message that a response is to; nil if the page has not sent it, which a `problem` record reports.
    private func target(of response: ComponentResponse, _ message: Message) -> Message? {
        guard let event = response.event else { return message }
        let target = component.receivedMessage(for: event)
        if target == nil { component.reportLostReply(event, "the page has sent no such message.") }
        return target
    }

    /// Shows a part in place of one of the same kind. Each side of the bar has one button.
    private func show(_ part: ComponentPart, _ message: Message, _ data: JSONValue) {
        var new = Shown(kind: part.kind, origin: message, response: part.response, side: part.side)
        let texts = [
            ("title", part.title), ("message", part.message), ("icon", part.icon), ("placeholder", part.placeholder),
        ]
        new.members = texts.compactMap { key, text in text?.text(in: data).map { .init(key, .string($0)) } }
        new.items = DeclaredParts.items(part.items, data)
        shown.removeAll { $0.kind == new.kind && $0.side == new.side }
        shown.append(new)
    }

    private static func items(_ items: ComponentPart.Items, _ data: JSONValue) -> [Item] {
        switch items {
        case .fixed(let items):
            items.enumerated().compactMap { position, item in
                item.title.text(in: data).map {
                    Item(title: $0, index: .number(Double(position)), response: item.response)
                }
            }
        case .ofMessage(let list):
            (list.value(in: data)?.elements ?? []).enumerated().map { position, item in
                let index = item["index"].flatMap { $0.isNull ? nil : $0 } ?? .number(Double(position))
                let title = item["title"] ?? item
                return Item(title: title.string ?? title.text, index: index, response: nil)
            }
        }
    }

    // MARK: What tools see

    /// The parts by their kinds; nil if none is shown.
    var state: JSONValue? {
        guard !shown.isEmpty else { return nil }
        let buttons = shown.filter { $0.kind == .barButton }.map { part in
            JSONValue.object(
                part.members + [.init("side", .string(part.side.rawValue)), .init("isEnabled", .bool(part.isEnabled))])
        }
        let others = shown.filter { $0.kind != .barButton }.map { part in
            let members: [JSONValue.Member] =
                part.kind == .textField
                ? [.init("text", .string(part.text))]
                : [.init("items", .array(part.items.map { .string($0.title) }))]
            return JSONValue.Member(part.kind.rawValue, .object(part.members + members))
        }
        return .object((buttons.isEmpty ? [] : [.init("barButtons", .array(buttons))]) + others)
    }

    // MARK: What the user does

    /// The actions on the parts that a component can show.
    static func actions(on component: DeclaredComponent) -> [ActionHandler] {
        let kinds = component.kinds
        let name = component.name
        var actions: [ActionHandler] = []
        if kinds.contains(.barButton) {
            actions.append(
                action("tap", "Taps the bar button of this title or icon, or on this side.", name, optional: ["button"])
                {
                    try $0.tap($1["button"])
                })
        }
        if kinds.contains(where: \.isModal) {
            actions.append(
                action("choose", "Chooses an item, given by its title or by its number from 1.", name, ["item"]) {
                    try $0.choose($1["item", default: ""])
                })
            actions.append(
                action("dismiss", "Closes what is shown, without a reply.", name) { parts, _ in try parts.dismiss() })
        }
        if kinds.contains(.textField) {
            actions.append(
                action("type", "Types into the text field, which then has exactly this text.", name, ["text"]) {
                    try $0.type($1["text", default: ""])
                })
        }
        return actions
    }

    private static func action(
        _ action: String, _ summary: String, _ component: String, _ required: [String] = [], optional: [String] = [],
        perform: @escaping @MainActor @Sendable (DeclaredParts, Action.Arguments) throws -> Void
    ) -> ActionHandler {
        ActionHandler(
            action, summary, required: required, optional: optional,
            app: { app, arguments in
                guard let visible = app.screens.visible?.bridgeDelegate.component(named: component) else {
                    throw ActionHandler.refusal(ofMissing: component)
                }
                try perform(visible.declaredParts, arguments)
            })
    }

    private func tap(_ name: String?) throws {
        let buttons = shown.filter { $0.kind == .barButton }
        let found = buttons.filter { button in
            guard let name else { return true }
            return button.side.rawValue == name
                || button.members.contains { ["title", "icon"].contains($0.key) && $0.value.string == name }
        }
        guard let button = found.last else {
            let all = buttons.map { $0.members.first?.value.string ?? $0.side.rawValue }.joined(separator: ", ")
            throw ActionRefusal(
                buttons.isEmpty
                    ? "the screen has no bar button of \(component.componentName)."
                    : "\(component.componentName) has no bar button '\(name ?? "")'. It has: \(all).")
        }
        guard found.count == 1 else { throw ActionRefusal("there are several bar buttons: give button=left or right.") }
        guard button.isEnabled else { throw ActionRefusal("the bar button is disabled.") }
        respond(button.response ?? ComponentResponse(reply: .echo), to: button.origin)
    }

    private func front() throws -> Int {
        guard let index = shown.lastIndex(where: \.kind.isModal) else {
            throw ActionRefusal("\(component.componentName) shows nothing to choose from.")
        }
        return index
    }

    private func choose(_ name: String) throws {
        let part = shown[try front()]
        let number = part.items.indices.first { Int(name) == $0 + 1 }
        guard let position = part.items.firstIndex(where: { $0.title == name }) ?? number else {
            let titles = part.items.map(\.title).joined(separator: ", ")
            throw ActionRefusal("there is no item '\(name)'. There are: \(titles).")
        }
        shown.remove(at: try front())
        let item = part.items[position]
        let chosen = ComponentResponse(reply: .data(["index": "$index", "title": "$title"]))
        respond(
            item.response ?? part.response ?? chosen, to: part.origin,
            choice: [.init("index", item.index), .init("title", .string(item.title))])
    }

    private func dismiss() throws { shown.remove(at: try front()) }

    private func type(_ text: String) throws {
        guard let index = shown.lastIndex(where: { $0.kind == .textField }) else {
            throw ActionRefusal("the screen has no text field of \(component.componentName).")
        }
        shown[index].text = text
        respond(
            shown[index].response ?? ComponentResponse(reply: .data(["text": "$text"])), to: shown[index].origin,
            choice: [.init("text", .string(text))])
    }
}
