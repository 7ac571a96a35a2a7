import HeadlessUIKit

/// An alert or an action sheet with the buttons and fields of its views.
struct AlertEffect: Effect {
    let style: UIAlertController.Style
    let title: String
    let id: () -> AnyHashable?
    let reset: () -> Void
    let actions: any View
    let message: any View

    var others: [any View] { [actions, message] }

    func update(_ node: any EffectNode) {
        let presentation = node.presentation
        presentation.wanted = id()
        presentation.reset = reset
        let (style, title) = (style, title)
        presentation.makeController = { [weak node, weak presentation] in
            let texts = node?.otherNodes.last?.texts.joined(separator: "\n") ?? ""
            let alert = UIAlertController(title: title, message: texts.isEmpty ? nil : texts, preferredStyle: style)
            let views = node?.otherNodes.first?.views ?? []
            for field in views.compactMap({ $0 as? UITextField }) { alert.addField(like: field) }
            for button in views.compactMap({ $0 as? UIButton }) {
                alert.addAction(button) { [weak alert] in if let alert { presentation?.ended(alert) } }
            }
            if alert.actions.isEmpty {
                alert.addAction(
                    UIAlertAction(title: "OK", style: .default) { [weak alert] _ in
                        if let alert { presentation?.ended(alert) }
                    })
            }
            return alert
        }
    }

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { chrome.presentations.append(node.presentation) }
    func end(_ node: any EffectNode) { node.presentation.close() }
}

extension UIAlertController {
    fileprivate func addField(like field: UITextField) {
        addTextField { own in
            own.placeholder = field.placeholder
            own.text = field.text
            own.addAction(
                UIAction { [weak own] _ in field.type(own?.text ?? "") }, for: .editingChanged)
        }
    }

    fileprivate func addAction(_ button: UIButton, _ ended: @escaping () -> Void) {
        let style: UIAlertAction.Style =
            switch (button as? SwiftUIButton)?.role {
            case .cancel: .cancel
            case .destructive: .destructive
            default: .default
            }
        let action = UIAlertAction(title: button.currentTitle, style: style) { _ in
            // The binding is false before the button's action runs, as in SwiftUI.
            ended()
            button.sendActions(for: [.touchUpInside, .primaryActionTriggered])
        }
        action.isEnabled = button.isEnabled
        addAction(action)
    }
}

/// What `alert(isPresented:content:)` shows.
public struct Alert {
    public struct Button {
        let title: Text
        let role: ButtonRole?
        let action: () -> Void

        public static func `default`(_ label: Text, action: (() -> Void)? = {}) -> Button {
            Button(title: label, role: nil, action: action ?? {})
        }
        public static func cancel(_ label: Text = Text("Cancel"), action: (() -> Void)? = {}) -> Button {
            Button(title: label, role: .cancel, action: action ?? {})
        }
        public static func cancel(_ action: (() -> Void)?) -> Button { cancel(Text("Cancel"), action: action) }
        public static func destructive(_ label: Text, action: (() -> Void)? = {}) -> Button {
            Button(title: label, role: .destructive, action: action ?? {})
        }
    }

    let title: Text
    let message: Text?
    let buttons: [Button]

    public init(title: Text, message: Text? = nil, dismissButton: Button? = nil) {
        (self.title, self.message, buttons) = (title, message, dismissButton.map { [$0] } ?? [])
    }

    public init(title: Text, message: Text? = nil, primaryButton: Button, secondaryButton: Button) {
        (self.title, self.message, buttons) = (title, message, [primaryButton, secondaryButton])
    }
}

public struct ActionSheet {
    public typealias Button = Alert.Button

    let alert: Alert

    public init(title: Text, message: Text? = nil, buttons: [Button] = [.cancel()]) {
        alert = Alert(title, message, buttons)
    }
}

extension Alert {
    fileprivate init(_ title: Text, _ message: Text?, _ buttons: [Button]) {
        (self.title, self.message, self.buttons) = (title, message, buttons)
    }

    @MainActor fileprivate func effect(
        _ style: UIAlertController.Style, _ id: @escaping () -> AnyHashable?, _ reset: @escaping () -> Void
    ) -> AlertEffect {
        let actions = ForEach(0..<buttons.count) { index in
            HeadlessSwiftUI.Button(role: buttons[index].role, action: { buttons[index].action() }) {
                buttons[index].title
            }
        }
        return AlertEffect(
            style: style, title: title.text, id: id, reset: reset, actions: actions, message: message ?? Text(""))
    }

    @MainActor static let none = Alert(Text(""), nil, [])
}

extension View {
    public func alert(isPresented: Binding<Bool>, content: () -> Alert) -> some View {
        effect(
            content().effect(
                .alert, { isPresented.wrappedValue ? true : nil }, { isPresented.wrappedValue = false }))
    }

    public func alert<Item: Identifiable>(item: Binding<Item?>, content: (Item) -> Alert) -> some View {
        let alert = item.wrappedValue.map(content) ?? .none
        return effect(
            alert.effect(.alert, { item.wrappedValue.map { AnyHashable($0.id) } }, { item.wrappedValue = nil }))
    }

    public func actionSheet(isPresented: Binding<Bool>, content: () -> ActionSheet) -> some View {
        effect(
            content().alert.effect(
                .actionSheet, { isPresented.wrappedValue ? true : nil }, { isPresented.wrappedValue = false }))
    }

    private func alert(
        _ style: UIAlertController.Style, _ title: String, _ isPresented: Binding<Bool>, _ actions: any View,
        _ message: any View
    ) -> some View {
        effect(
            AlertEffect(
                style: style, title: title, id: { isPresented.wrappedValue ? true : nil },
                reset: { isPresented.wrappedValue = false }, actions: actions, message: message))
    }

    @_disfavoredOverload
    public func alert<Actions: View>(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions
    ) -> some View { alert(.alert, String(title), isPresented, actions(), EmptyView()) }
    @_disfavoredOverload
    public func alert<Actions: View, Message: View>(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { alert(.alert, String(title), isPresented, actions(), message()) }
    public func alert<Actions: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions
    ) -> some View { alert(.alert, title.text, isPresented, actions(), EmptyView()) }
    public func alert<Actions: View, Message: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { alert(.alert, title.text, isPresented, actions(), message()) }
    public func alert<Actions: View>(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions
    ) -> some View { alert(.alert, title.text, isPresented, actions(), EmptyView()) }
    public func alert<Actions: View, Message: View>(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { alert(.alert, title.text, isPresented, actions(), message()) }

    public func alert<Actions: View, Message: View, Value>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Value?,
        @ViewBuilder actions: (Value) -> Actions, @ViewBuilder message: (Value) -> Message
    ) -> some View { alert(.alert, title.text, isPresented, data.map(actions), data.map(message)) }

    public func confirmationDialog<Actions: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> Actions
    ) -> some View { alert(.actionSheet, title.text, isPresented, actions(), EmptyView()) }
    public func confirmationDialog<Actions: View, Message: View>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> Actions, @ViewBuilder message: () -> Message
    ) -> some View { alert(.actionSheet, title.text, isPresented, actions(), message()) }
}

extension View {
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View { present(false, isPresented, onDismiss, content) }

    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { present(false, item, onDismiss, content) }

    public func fullScreenCover<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View { present(true, isPresented, onDismiss, content) }

    public func fullScreenCover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { present(true, item, onDismiss, content) }

    /// On a phone, a popover is a sheet.
    public func popover<Content: View>(
        isPresented: Binding<Bool>, arrowEdge: Edge = .top, @ViewBuilder content: @escaping () -> Content
    ) -> some View { present(false, isPresented, nil, content) }

    private func present<Content: View>(
        _ isFullScreen: Bool, _ isPresented: Binding<Bool>, _ onDismiss: (() -> Void)?,
        _ content: @escaping () -> Content
    ) -> some View {
        effect(
            SheetEffect(
                isFullScreen: isFullScreen, id: { isPresented.wrappedValue ? true : nil },
                reset: { isPresented.wrappedValue = false }, onDismiss: onDismiss, content: content))
    }

    private func present<Item: Identifiable, Content: View>(
        _ isFullScreen: Bool, _ item: Binding<Item?>, _ onDismiss: (() -> Void)?,
        _ content: @escaping (Item) -> Content
    ) -> some View {
        effect(
            SheetEffect(
                isFullScreen: isFullScreen, id: { item.wrappedValue.map { AnyHashable($0.id) } },
                reset: { item.wrappedValue = nil }, onDismiss: onDismiss,
                content: { AnyView(erasing: item.wrappedValue.map(content)) }))
    }
}
