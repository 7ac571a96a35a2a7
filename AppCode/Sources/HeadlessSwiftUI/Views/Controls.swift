public import Foundation
import HeadlessUIKit

public struct ButtonRole: Equatable, Sendable {
    private let name: String

    public static let cancel = ButtonRole(name: "cancel")
    public static let destructive = ButtonRole(name: "destructive")
    public static let close = ButtonRole(name: "close")
    public static let confirm = ButtonRole(name: "confirm")
}

/// A button whose title is what its label shows.
final class SwiftUIButton: UIButton {
    var role: ButtonRole?
    private var tapped: () -> Void = {}

    init(_ tap: @escaping () -> Void = {}) {
        super.init(frame: .zero)
        tapped = tap
        addAction(UIAction { [weak self] _ in self?.tapped() }, for: .primaryActionTriggered)
    }

    required init?(coder: NSCoder) { nil }

    func onTap(_ tap: @escaping () -> Void) { tapped = tap }

    /// Takes the title and the image of the label's views.
    func show(_ views: [UIView]) {
        let texts = ViewTexts.texts(views)
        let image = ViewTexts.images(views).first
        setTitle(texts.isEmpty ? nil : texts.joined(separator: " "), for: .normal)
        setImage(image, for: .normal)
        if texts.isEmpty, accessibilityLabel == nil { accessibilityLabel = image?.name }
    }
}

/// What a user reads in views that are not in a container.
@MainActor enum ViewTexts {
    static func texts(_ views: [UIView]) -> [String] {
        views.flatMap { view -> [String] in
            switch view {
            case let label as UILabel: [label.text].compactMap(\.self)
            case let button as UIButton: [button.currentTitle].compactMap(\.self)
            default: texts(view.subviews)
            }
        }
    }

    static func images(_ views: [UIView]) -> [UIImage] {
        views.flatMap { view in [(view as? UIImageView)?.image].compactMap(\.self) + images(view.subviews) }
    }
}

public struct Button<Label: View>: View, UIKitView {
    private let label: Label
    private let role: ButtonRole?
    private let action: @MainActor () -> Void

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.label, role, self.action) = (label(), nil, action)
    }
    public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.label, self.role, self.action) = (label(), role, action)
    }
    public init(_ title: LocalizedStringKey, action: @escaping @MainActor () -> Void) where Label == Text {
        (label, role, self.action) = (Text(title), nil, action)
    }
    public init(_ title: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void)
    where Label == Text {
        (label, self.role, self.action) = (Text(title), role, action)
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) where Label == Text {
        (label, role, self.action) = (Text(title), nil, action)
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void)
    where Label == Text {
        (label, self.role, self.action) = (Text(title), role, action)
    }
    public init(
        _ title: LocalizedStringKey, systemImage: String, role: ButtonRole? = nil,
        action: @escaping @MainActor () -> Void
    )
    where Label == HeadlessSwiftUI.Label<Text, Image> {
        (label, self.role, self.action) = (HeadlessSwiftUI.Label(title, systemImage: systemImage), role, action)
    }

    var content: (any View)? { label }

    func makeView(_ node: ViewNode<Self>) -> SwiftUIButton { SwiftUIButton() }

    func update(_ view: SwiftUIButton, _ node: ViewNode<Self>) {
        view.onTap(action)
        view.role = role
        view.isEnabled = node.environment.isEnabled
        if let child = node.child { view.show(child.views) }
    }

    func place(_ views: [UIView], in view: SwiftUIButton, _ node: ViewNode<Self>) { view.show(views) }
}

/// A link. A tap hands its URL to the system.
public struct Link<Label: View>: View, GroupView {
    private let label: Label
    private let destination: URL

    public init(destination: URL, @ViewBuilder label: () -> Label) {
        (self.label, self.destination) = (label(), destination)
    }
    public init(_ title: LocalizedStringKey, destination: URL) where Label == Text {
        (label, self.destination) = (Text(title), destination)
    }
    @_disfavoredOverload public init(_ title: some StringProtocol, destination: URL) where Label == Text {
        (label, self.destination) = (Text(title), destination)
    }

    var parts: [Part] {
        let url = destination
        return [Part(id: 0, view: URLOpener { open in Button(action: { open(url) }) { label } })]
    }
}

private struct URLOpener<Content: View>: View {
    @Environment(\.openURL) private var openURL
    let content: (OpenURLAction) -> Content

    var body: some View { content(openURL) }
}

/// A button with a menu of buttons.
public struct Menu<Label: View, Content: View>: View, UIKitView {
    private let label: Label
    private let entries: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.label, entries) = (label(), content())
    }
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) where Label == Text {
        (label, entries) = (Text(title), content())
    }
    public init(_ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content)
    where Label == HeadlessSwiftUI.Label<Text, Image> {
        (label, entries) = (HeadlessSwiftUI.Label(title, systemImage: systemImage), content())
    }

    // The label and the entries are two views, of which only the label is shown.
    var content: (any View)? { TupleView<(Group<Label>, Group<Content>)>([Group { label }, Group { entries }]) }

    func makeView(_ node: ViewNode<Self>) -> SwiftUIButton { SwiftUIButton() }

    func place(_ views: [UIView], in view: SwiftUIButton, _ node: ViewNode<Self>) {
        let (label, entries) = (node.child?.children.first, node.child?.children.last)
        view.show(label?.views ?? [])
        entries?.layOut()
        let buttons = (entries?.views ?? []).flatMap { $0.buttons }
        view.menu = UIMenu(
            children: buttons.map { button in
                UIAction(title: button.currentTitle ?? button.accessibilityLabel ?? "", image: button.currentImage) {
                    _ in
                    button.sendActions(for: [.touchUpInside, .primaryActionTriggered])
                }
            })
    }
}

extension UIView {
    fileprivate var buttons: [UIButton] { (self as? UIButton).map { [$0] } ?? subviews.flatMap(\.buttons) }
}

/// A switch. A tap on its label's text turns it.
public struct Toggle<Label: View>: View, UIKitView {
    private let label: Label
    private let isOn: Binding<Bool>

    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) { (self.label, self.isOn) = (label(), isOn) }
    public init(_ title: LocalizedStringKey, isOn: Binding<Bool>) where Label == Text {
        (label, self.isOn) = (Text(title), isOn)
    }
    @_disfavoredOverload public init(_ title: some StringProtocol, isOn: Binding<Bool>) where Label == Text {
        (label, self.isOn) = (Text(title), isOn)
    }

    var content: (any View)? { label }

    func makeView(_ node: ViewNode<Self>) -> SwitchRow { SwitchRow() }

    func update(_ view: SwitchRow, _ node: ViewNode<Self>) {
        let isOn = isOn
        view.control.isOn = isOn.wrappedValue
        view.control.isEnabled = node.environment.isEnabled
        // The switch turns back if its binding does not take the value.
        view.changed = { [weak node] in
            isOn.wrappedValue = $0
            node.map(Updates.invalidate)
        }
    }

    func place(_ views: [UIView], in view: SwitchRow, _ node: ViewNode<Self>) {
        node.placement.place(views, in: view)
        view.control.accessibilityLabel = ViewTexts.texts(views).joined(separator: " ")
    }
}

/// A switch beside its label.
final class SwitchRow: UIView {
    let control = UISwitch()
    var changed: (Bool) -> Void = { _ in }

    init() {
        super.init(frame: .zero)
        addSubview(control)
        control.addAction(
            UIAction { [weak self] _ in if let self { self.changed(self.control.isOn) } }, for: .valueChanged)
    }

    required init?(coder: NSCoder) { nil }
}

/// A field for text. What the user types is set at once; a return calls `onSubmit`.
public struct TextField<Label: View>: View, UIKitView {
    private let label: Label
    private let text: Binding<String>
    private let onCommit: (() -> Void)?
    var isSecure = false

    public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        (self.label, self.text, onCommit) = (label(), text, nil)
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text? = nil) where Label == Text {
        (label, self.text, onCommit) = (prompt ?? Text(title), text, nil)
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, axis: Axis) where Label == Text {
        (label, self.text, onCommit) = (Text(title), text, nil)
    }
    @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>, prompt: Text? = nil)
    where Label == Text {
        (label, self.text, onCommit) = (prompt ?? Text(title), text, nil)
    }
    public init(
        _ title: LocalizedStringKey, text: Binding<String>, onEditingChanged: @escaping (Bool) -> Void = { _ in },
        onCommit: @escaping () -> Void
    ) where Label == Text { (label, self.text, self.onCommit) = (Text(title), text, onCommit) }
    @_disfavoredOverload public init(
        _ title: some StringProtocol, text: Binding<String>, onEditingChanged: @escaping (Bool) -> Void = { _ in },
        onCommit: @escaping () -> Void
    ) where Label == Text { (label, self.text, self.onCommit) = (Text(title), text, onCommit) }

    var content: (any View)? { label }

    func makeView(_ node: ViewNode<Self>) -> FieldView { FieldView() }

    func update(_ view: FieldView, _ node: ViewNode<Self>) {
        let (text, onCommit, submit) = (text, onCommit, node.environment.submit)
        if view.text != text.wrappedValue { view.text = text.wrappedValue }
        view.isEnabled = node.environment.isEnabled
        view.isSecureTextEntry = isSecure
        // As in SwiftUI, the field keeps a text that its binding does not take.
        view.changed = { [weak node] in
            text.wrappedValue = $0
            if text.wrappedValue == $0 { node.map(Updates.invalidate) }
        }
        view.submitted = {
            onCommit?()
            submit?()
        }
        if let child = node.child { view.placeholder = ViewTexts.texts(child.views).joined(separator: " ") }
    }

    func place(_ views: [UIView], in view: FieldView, _ node: ViewNode<Self>) {
        view.placeholder = ViewTexts.texts(views).joined(separator: " ")
    }
}

final class FieldView: UITextField {
    var changed: (String) -> Void = { _ in }
    var submitted: () -> Void = {}

    init() {
        super.init(frame: .zero)
        addAction(UIAction { [weak self] _ in if let self { self.changed(self.text ?? "") } }, for: .editingChanged)
        addAction(UIAction { [weak self] _ in self?.submitted() }, for: .editingDidEndOnExit)
    }

    required init?(coder: NSCoder) { nil }
}

public struct SecureField<Label: View>: View, GroupView {
    private let field: TextField<Label>

    public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text? = nil) where Label == Text {
        field = TextField(title, text: text, prompt: prompt)
    }

    var parts: [Part] {
        var field = field
        field.isSecure = true
        return [Part(id: 0, view: field)]
    }
}

/// A field for a text of several lines.
public struct TextEditor: View, GroupView {
    private let text: Binding<String>

    public init(text: Binding<String>) { self.text = text }

    var parts: [Part] { [Part(id: 0, view: TextField("", text: text))] }
}

/// A choice. Each option is a button here; a tap on it selects its tag.
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View, UIKitView {
    private let label: Label
    private let selection: Binding<SelectionValue>
    private let options: Content

    public init(
        selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
    ) {
        (self.label, self.selection, options) = (label(), selection, content())
    }
    public init(_ title: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content)
    where Label == Text {
        (label, self.selection, options) = (Text(title), selection, content())
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content)
    where Label == Text {
        (label, self.selection, options) = (Text(title), selection, content())
    }

    var content: (any View)? { options }

    func makeView(_ node: ViewNode<Self>) -> UIView { UIView() }

    /// The buttons by their options.
    private final class Memory {
        var selected: SelectionValue
        var buttons: [ObjectIdentifier: SwiftUIButton] = [:]

        init(_ selected: SelectionValue) { self.selected = selected }
    }

    func update(_ view: UIView, _ node: ViewNode<Self>) {
        let memory = node.memory as? Memory ?? Memory(selection.wrappedValue)
        node.memory = memory
        memory.selected = selection.wrappedValue
    }

    func place(_ views: [UIView], in view: UIView, _ node: ViewNode<Self>) {
        guard let memory = node.memory as? Memory else { return }
        let (pieces, selection, old) = (node.child?.pieces ?? [], selection, memory.buttons)
        let buttons = pieces.map { piece in
            let tag = piece.chrome.tag?.base as? SelectionValue
            let button = old[ObjectIdentifier(piece)] ?? SwiftUIButton()
            button.show(piece.views)
            button.isEnabled = node.environment.isEnabled
            button.isSelected = tag == memory.selected
            button.onTap { if let tag { selection.wrappedValue = tag } }
            return button
        }
        memory.buttons = Dictionary(zip(pieces.map(ObjectIdentifier.init), buttons)) { first, _ in first }
        node.placement.place(buttons, in: view)
    }
}

public struct Slider<Label: View>: View, UIKitView {
    private let value: Binding<Double>
    private let range: ClosedRange<Double>

    public init<Value: BinaryFloatingPoint>(value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1)
    where Label == EmptyView {
        self.value = Binding(get: { Double(value.wrappedValue) }, set: { value.wrappedValue = Value($0) })
        range = Double(bounds.lowerBound)...Double(bounds.upperBound)
    }

    func makeView(_ node: ViewNode<Self>) -> SliderView { SliderView() }

    func update(_ view: SliderView, _ node: ViewNode<Self>) {
        let value = value
        (view.minimumValue, view.maximumValue) = (Float(range.lowerBound), Float(range.upperBound))
        view.value = Float(value.wrappedValue)
        view.isEnabled = node.environment.isEnabled
        view.changed = { [weak node] in
            value.wrappedValue = Double($0)
            node.map(Updates.invalidate)
        }
    }
}

final class SliderView: UISlider {
    var changed: (Float) -> Void = { _ in }

    init() {
        super.init(frame: .zero)
        addAction(UIAction { [weak self] _ in if let self { self.changed(self.value) } }, for: .valueChanged)
    }

    required init?(coder: NSCoder) { nil }
}

public struct ProgressView<Label: View>: View, UIKitView {
    private let label: Label
    private let value: Double?

    public init() where Label == EmptyView { (label, value) = (EmptyView(), nil) }
    public init(_ title: LocalizedStringKey) where Label == Text { (label, value) = (Text(title), nil) }
    @_disfavoredOverload public init(_ title: some StringProtocol) where Label == Text {
        (label, value) = (Text(title), nil)
    }
    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1) where Label == EmptyView {
        (label, self.value) = (EmptyView(), value.map { Double($0 / total) })
    }
    public init<Value: BinaryFloatingPoint>(_ title: LocalizedStringKey, value: Value?, total: Value = 1)
    where Label == Text {
        (label, self.value) = (Text(title), value.map { Double($0 / total) })
    }

    var content: (any View)? { label }

    func makeView(_ node: ViewNode<Self>) -> UIView {
        guard value == nil else { return UIProgressView() }
        let view = UIActivityIndicatorView(style: .medium)
        view.startAnimating()
        return view
    }

    func update(_ view: UIView, _ node: ViewNode<Self>) {
        (view as? UIProgressView)?.progress = Float(value ?? 0)
    }
}
