public import Foundation
public import HeadlessUIKit

// MARK: Environment

private struct EnvironmentEffect<Value>: Effect {
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let value: Value

    func change(_ environment: inout EnvironmentValues) { environment[keyPath: keyPath] = value }
}

private struct EnvironmentObjectEffect<Object: AnyObject>: Effect {
    let object: Object?

    func change(_ environment: inout EnvironmentValues) { environment.set(object) }
}

private struct DisabledEffect: Effect {
    let isDisabled: Bool

    func change(_ environment: inout EnvironmentValues) { if isDisabled { environment.isEnabled = false } }
}

private struct SubmitEffect: Effect {
    let action: () -> Void

    func change(_ environment: inout EnvironmentValues) { environment.submit = action }
}

extension EnvironmentValues {
    private struct SubmitKey: EnvironmentKey { static var defaultValue: (() -> Void)? { nil } }

    var submit: (() -> Void)? {
        get { self[SubmitKey.self] }
        set { self[SubmitKey.self] = newValue }
    }
}

extension View {
    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        effect(EnvironmentEffect(keyPath: keyPath, value: value))
    }
    public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some View {
        effect(EnvironmentObjectEffect(object: object))
    }
    public func environmentObject<Object: ObservableObject>(_ object: Object) -> some View {
        effect(EnvironmentObjectEffect(object: object))
    }
    public func disabled(_ disabled: Bool) -> some View { effect(DisabledEffect(isDisabled: disabled)) }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { effect(SubmitEffect(action: action)) }
}

// MARK: Life cycle

private struct AppearEffect: Effect {
    let onAppear: (() -> Void)?
    let onDisappear: (() -> Void)?

    func appear(_ node: any EffectNode) { onAppear?() }
    func disappear(_ node: any EffectNode) { onDisappear?() }
}

/// A task that begins when the view appears or `id` changes, and is cancelled when the view disappears.
private struct TaskEffect: Effect {
    private final class Running {
        var id: AnyHashable?
        var task: Task<Void, Never>?
    }

    let id: AnyHashable?
    let action: @MainActor () async -> Void

    private func running(_ node: any EffectNode) -> Running {
        if let found = node.memory as? Running { return found }
        let made = Running()
        node.memory = made
        return made
    }

    private func start(_ running: Running) {
        running.task?.cancel()
        running.id = id
        running.task = Task { @MainActor in await action() }
    }

    func update(_ node: any EffectNode) {
        let running = running(node)
        if node.isAppeared, running.id != id { start(running) }
    }

    func appear(_ node: any EffectNode) { start(running(node)) }
    func disappear(_ node: any EffectNode) { running(node).task?.cancel() }
}

private struct ChangeEffect<Value: Equatable>: Effect {
    private final class Last {
        var value: Value
        var hasAppeared = false
        init(_ value: Value) { self.value = value }
    }

    let value: Value
    let isInitial: Bool
    let action: (Value, Value) -> Void

    func update(_ node: any EffectNode) {
        guard let last = node.memory as? Last else {
            node.memory = Last(value)
            return
        }
        guard last.value != value else { return }
        let old = last.value
        last.value = value
        action(old, value)
    }

    /// The initial call comes when the view appears first, not each time that it appears again.
    func appear(_ node: any EffectNode) {
        guard isInitial, let last = node.memory as? Last, !last.hasAppeared else { return }
        last.hasAppeared = true
        action(value, value)
    }
}

/// Calls the newest action with what the newest publisher sends.
private struct ReceiveEffect<Source: Publisher>: Effect where Source.Failure == Never {
    private final class Subscription {
        var publisher: Source
        var cancellable: AnyCancellable?
        var action: (Source.Output) -> Void = { _ in }

        init(_ publisher: Source) { self.publisher = publisher }
    }

    let publisher: Source
    let action: (Source.Output) -> Void

    func update(_ node: any EffectNode) {
        let known = node.memory as? Subscription
        let subscription = known ?? Subscription(publisher)
        subscription.action = action
        node.memory = subscription
        guard known == nil || !Fields.areEqual(subscription.publisher, publisher) else { return }
        subscription.publisher = publisher
        subscription.cancellable = publisher.sink { [weak subscription] value in
            nonisolated(unsafe) let value = value
            nonisolated(unsafe) let subscription = subscription
            Dependencies.onMain { subscription?.action(value) }
        }
    }
}

private struct OpenURLEffect: Effect {
    let action: (URL) -> Void

    func update(_ node: any EffectNode) { node.memory = URLHandlers.Entry(action) }
}

/// The views that want to know about URLs that the app is opened with.
@MainActor enum URLHandlers {
    private struct WeakEntry { weak var entry: Entry? }

    @MainActor final class Entry {
        let action: (URL) -> Void

        init(_ action: @escaping (URL) -> Void) {
            self.action = action
            URLHandlers.entries.removeAll { $0.entry == nil }
            URLHandlers.entries.append(WeakEntry(entry: self))
        }
    }

    private static var entries: [WeakEntry] = []

    static func open(_ url: URL) { for entry in entries { entry.entry?.action(url) } }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        effect(AppearEffect(onAppear: action, onDisappear: nil))
    }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        effect(AppearEffect(onAppear: nil, onDisappear: action))
    }
    public func task(priority: TaskPriority = .userInitiated, _ action: @escaping @MainActor () async -> Void)
        -> some View
    {
        effect(TaskEffect(id: nil, action: action))
    }
    public func task<ID: Hashable>(
        id: ID, priority: TaskPriority = .userInitiated, _ action: @escaping @MainActor () async -> Void
    ) -> some View { effect(TaskEffect(id: AnyHashable(id), action: action)) }
    public func onChange<Value: Equatable>(of value: Value, perform action: @escaping (Value) -> Void) -> some View {
        effect(ChangeEffect(value: value, isInitial: false) { action($1) })
    }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
    ) -> some View { effect(ChangeEffect(value: value, isInitial: initial, action: action)) }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { effect(ChangeEffect(value: value, isInitial: initial) { _, _ in action() }) }
    public func onReceive<Source: Publisher>(_ publisher: Source, perform action: @escaping (Source.Output) -> Void)
        -> some View
    where Source.Failure == Never { effect(ReceiveEffect(publisher: publisher, action: action)) }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        effect(OpenURLEffect(action: action))
    }
    public func refreshable(action: @escaping @MainActor () async -> Void) -> some View {
        effect(RefreshEffect(action: action))
    }
    public func id<ID: Hashable>(_ id: ID) -> some View { IdentifiedView(id: AnyHashable(id), view: self) }
}

private struct IdentifiedView: View, GroupView {
    let id: AnyHashable
    let view: any View

    var parts: [Part] { [Part(id: id, view: view)] }
}

/// A refresh control that runs a task.
private struct RefreshEffect: Effect {
    let action: @MainActor () async -> Void

    func layOut(_ node: any EffectNode) {
        let control = node.memory as? UIRefreshControl ?? make(node)
        guard control.superview == nil else { return }
        node.contentNode?.views.first?.addSubview(control)
    }

    private func make(_ node: any EffectNode) -> UIRefreshControl {
        let control = UIRefreshControl()
        let action = action
        control.addAction(
            UIAction { [weak control] _ in
                Task { @MainActor in
                    await action()
                    control?.endRefreshing()
                }
            }, for: .valueChanged)
        node.memory = control
        return control
    }
}

// MARK: Screens

/// Something that a view says about its screen.
struct ChromeEffect: Effect {
    let change: (inout Chrome) -> Void

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { change(&chrome) }
}

extension View {
    func chrome(_ change: @escaping (inout Chrome) -> Void) -> some View { effect(ChromeEffect(change: change)) }

    /// The title of the screen in its navigation bar.
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { chrome { $0.title = title.text } }
    @_disfavoredOverload
    public func navigationTitle(_ title: some StringProtocol) -> some View {
        let title = String(title)
        return chrome { $0.title = title }
    }
    public func navigationTitle(_ title: Text) -> some View { chrome { $0.title = title.text } }
    public func navigationBarTitle(_ title: LocalizedStringKey) -> some View { chrome { $0.title = title.text } }
    public func navigationBarTitle(_ title: LocalizedStringKey, displayMode: NavigationBarItem.TitleDisplayMode)
        -> some View
    {
        chrome { $0.title = title.text }
    }
    @_disfavoredOverload
    public func navigationBarTitle(_ title: some StringProtocol) -> some View { navigationTitle(title) }
    @_disfavoredOverload
    public func navigationBarTitle(_ title: some StringProtocol, displayMode: NavigationBarItem.TitleDisplayMode)
        -> some View
    {
        navigationTitle(title)
    }
    public func navigationBarTitle(_ title: Text) -> some View { chrome { $0.title = title.text } }
    public func navigationBarTitle(_ title: Text, displayMode: NavigationBarItem.TitleDisplayMode) -> some View {
        chrome { $0.title = title.text }
    }
    public func navigationBarBackButtonHidden(_ hides: Bool = true) -> some View {
        chrome { $0.hidesBackButton = hides }
    }
    public func navigationBarHidden(_ hidden: Bool) -> some View { chrome { $0.isBarHidden = hidden } }
    public func toolbar(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View {
        chrome { if bars.isEmpty || bars.contains(.navigationBar) { $0.isBarHidden = visibility == .hidden } }
    }
    public func badge(_ count: Int) -> some View { chrome { $0.badge = count == 0 ? nil : "\(count)" } }
    public func badge(_ label: LocalizedStringKey?) -> some View { chrome { $0.badge = label?.text } }
    public func searchable(text: Binding<String>, prompt: LocalizedStringKey = "Search") -> some View {
        chrome { $0.search = (prompt.text, text) }
    }
}

/// Where a toolbar has an item.
public struct ToolbarItemPlacement: Equatable, Sendable {
    fileprivate enum Bar { case leading, trailing, bottom, title }
    fileprivate let bar: Bar

    public static let automatic = ToolbarItemPlacement(bar: .trailing)
    public static let navigation = ToolbarItemPlacement(bar: .leading)
    public static let navigationBarLeading = ToolbarItemPlacement(bar: .leading)
    public static let navigationBarTrailing = ToolbarItemPlacement(bar: .trailing)
    public static let topBarLeading = ToolbarItemPlacement(bar: .leading)
    public static let topBarTrailing = ToolbarItemPlacement(bar: .trailing)
    public static let cancellationAction = ToolbarItemPlacement(bar: .leading)
    public static let confirmationAction = ToolbarItemPlacement(bar: .trailing)
    public static let destructiveAction = ToolbarItemPlacement(bar: .trailing)
    public static let primaryAction = ToolbarItemPlacement(bar: .trailing)
    public static let secondaryAction = ToolbarItemPlacement(bar: .trailing)
    public static let bottomBar = ToolbarItemPlacement(bar: .bottom)
    public static let keyboard = ToolbarItemPlacement(bar: .bottom)
    public static let status = ToolbarItemPlacement(bar: .bottom)
    public static let principal = ToolbarItemPlacement(bar: .title)
}

public struct ToolbarItem<Content: View>: View, GroupView {
    let parts: [Part]

    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        parts = Part.list([PlacedItems(placement: placement, content: content())])
    }
}

public struct ToolbarItemGroup<Content: View>: View, GroupView {
    let parts: [Part]

    public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        parts = Part.list([PlacedItems(placement: placement, content: content())])
    }
}

public typealias ToolbarContent = View
public typealias ToolbarContentBuilder = ViewBuilder

private struct PlacedItems<Content: View>: View {
    let placement: ToolbarItemPlacement
    let content: Content

    var body: some View { content.effect(PlacementEffect(placement: placement)) }
}

private struct PlacementEffect: Effect {
    let placement: ToolbarItemPlacement

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { chrome.placement = placement }
}

private struct ToolbarEffect: Effect {
    let items: any View
    var leading: (any View)?

    var others: [any View] { [items] + (leading.map { [$0] } ?? []) }

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) {
        for piece in node.otherNodes.first?.pieces ?? [] {
            switch (piece.chrome.placement ?? .automatic).bar {
            case .leading: chrome.leading.append(piece)
            case .trailing: chrome.trailing.append(piece)
            case .bottom: chrome.bottom.append(piece)
            case .title: if let title = piece.texts.first { chrome.title = title }
            }
        }
        chrome.leading += node.otherNodes.dropFirst().flatMap(\.pieces)
    }
}

extension View {
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        effect(ToolbarEffect(items: content()))
    }
    public func navigationBarItems<Leading: View, Trailing: View>(leading: Leading, trailing: Trailing) -> some View {
        effect(ToolbarEffect(items: trailing, leading: leading))
    }
    public func navigationBarItems<Leading: View>(leading: Leading) -> some View {
        effect(ToolbarEffect(items: EmptyView(), leading: leading))
    }
    public func navigationBarItems<Trailing: View>(trailing: Trailing) -> some View {
        effect(ToolbarEffect(items: trailing))
    }
}

// MARK: Views beside the content

private struct BesideEffect: Effect {
    let view: any View

    var others: [any View] { [view] }
    var showsOthers: Bool { true }
}

private struct HiddenEffect: Effect {
    var isContentHidden: Bool { true }
}

private struct LabelEffect: Effect {
    let label: String?
    var identifier: String?

    func layOut(_ node: any EffectNode) {
        for view in node.contentNode?.views ?? [] {
            if let label { view.accessibilityLabel = label }
            if let identifier { view.accessibilityIdentifier = identifier }
        }
    }
}

/// A tap on what the view shows. It is a button here, so that a tap finds it by its text.
private struct TapView<Content: View>: View, UIKitView {
    let tapped: Content
    let action: () -> Void

    var content: (any View)? { tapped }

    func makeView(_ node: ViewNode<Self>) -> TapArea { TapArea() }
    func update(_ view: TapArea, _ node: ViewNode<Self>) { view.action = action }
}

/// An area that acts when one of its texts is tapped.
final class TapArea: UIView {
    var action: () -> Void = {}

    init() {
        super.init(frame: .zero)
        addGestureRecognizer(UITapGestureRecognizer(target: self, action: Selector("tapped", TapArea.tapped)))
    }

    required init?(coder: NSCoder) { nil }

    private func tapped() { action() }
}

extension View {
    public func overlay<Content: View>(_ view: Content, alignment: Alignment = .center) -> some View {
        effect(BesideEffect(view: view))
    }
    public func overlay<Content: View>(alignment: Alignment = .center, @ViewBuilder content: () -> Content) -> some View
    {
        effect(BesideEffect(view: content()))
    }
    @_disfavoredOverload
    public func background<Content: View>(_ view: Content, alignment: Alignment = .center) -> some View {
        effect(BesideEffect(view: view))
    }
    public func background<Content: View>(alignment: Alignment = .center, @ViewBuilder content: () -> Content)
        -> some View
    {
        effect(BesideEffect(view: content()))
    }
    public func safeAreaInset<Content: View>(
        edge: Edge, alignment: Alignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) -> some View { effect(BesideEffect(view: content())) }
    public func contextMenu<Content: View>(@ViewBuilder menuItems: () -> Content) -> some View { self }
    public func swipeActions<Content: View>(
        edge: Edge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> Content
    ) -> some View { self }
    public func hidden() -> some View { effect(HiddenEffect()) }
    public func accessibilityLabel(_ label: String) -> some View { effect(LabelEffect(label: label)) }
    public func accessibilityLabel(_ label: Text) -> some View { effect(LabelEffect(label: label.text)) }
    public func accessibilityIdentifier(_ identifier: String) -> some View {
        effect(LabelEffect(label: nil, identifier: identifier))
    }
    public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        TapView(tapped: self, action: action)
    }
    public func onLongPressGesture(minimumDuration: Double = 0.5, perform action: @escaping () -> Void) -> some View {
        self
    }
}
