import HeadlessUIKit

/// A button that pushes a screen.
public struct NavigationLink<Label: View, Destination: View>: View, UIKitView {
    fileprivate enum Target {
        case view(() -> Destination)
        case value(AnyHashable?)
    }

    private let label: Label
    private let target: Target
    /// Whether the screen is pushed, if the app decides that.
    private let isActive: Binding<Bool>?

    public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Label) {
        (self.label, target, isActive) = (label(), .view(destination), nil)
    }
    public init(destination: Destination, @ViewBuilder label: () -> Label) {
        (self.label, target, isActive) = (label(), .view { destination }, nil)
    }
    public init(
        isActive: Binding<Bool>, @ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Label
    ) {
        (self.label, target, self.isActive) = (label(), .view(destination), isActive)
    }
    public init(destination: Destination, isActive: Binding<Bool>, @ViewBuilder label: () -> Label) {
        (self.label, target, self.isActive) = (label(), .view { destination }, isActive)
    }
    public init<Tag: Hashable>(
        destination: Destination, tag: Tag, selection: Binding<Tag?>, @ViewBuilder label: () -> Label
    ) {
        let isActive = Binding<Bool>(
            get: { selection.wrappedValue == tag },
            set: {
                if $0 {
                    selection.wrappedValue = tag
                } else if selection.wrappedValue == tag {
                    selection.wrappedValue = nil
                }
            })
        (self.label, target, self.isActive) = (label(), .view { destination }, isActive)
    }
    public init(_ title: LocalizedStringKey, @ViewBuilder destination: @escaping () -> Destination)
    where Label == Text {
        (label, target, isActive) = (Text(title), .view(destination), nil)
    }
    public init(_ title: LocalizedStringKey, destination: Destination) where Label == Text {
        (label, target, isActive) = (Text(title), .view { destination }, nil)
    }
    public init(_ title: LocalizedStringKey, destination: Destination, isActive: Binding<Bool>) where Label == Text {
        (label, target, self.isActive) = (Text(title), .view { destination }, isActive)
    }
    @_disfavoredOverload public init(
        _ title: some StringProtocol, @ViewBuilder destination: @escaping () -> Destination
    )
    where Label == Text { (label, target, isActive) = (Text(title), .view(destination), nil) }
    @_disfavoredOverload public init(_ title: some StringProtocol, destination: Destination) where Label == Text {
        (label, target, isActive) = (Text(title), .view { destination }, nil)
    }
    public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Label) where Destination == Never {
        (self.label, target, isActive) = (label(), .value(value.map { AnyHashable($0) }), nil)
    }
    public init<Value: Hashable>(_ title: LocalizedStringKey, value: Value?) where Label == Text, Destination == Never {
        (label, target, isActive) = (Text(title), .value(value.map { AnyHashable($0) }), nil)
    }
    @_disfavoredOverload public init<Value: Hashable>(_ title: some StringProtocol, value: Value?)
    where Label == Text, Destination == Never {
        (label, target, isActive) = (Text(title), .value(value.map { AnyHashable($0) }), nil)
    }

    /// What the link has pushed.
    private final class Memory {
        weak var screen: Screen?
        var tap: () -> Void = {}
        /// What the binding says.
        var isActive: Bool?
    }

    var content: (any View)? { label }

    private func memory(_ node: ViewNode<Self>) -> Memory {
        if let found = node.memory as? Memory { return found }
        let made = Memory()
        node.memory = made
        return made
    }

    func makeView(_ node: ViewNode<Self>) -> SwiftUIButton {
        let memory = memory(node)
        return SwiftUIButton { memory.tap() }
    }

    func update(_ view: SwiftUIButton, _ node: ViewNode<Self>) {
        let memory = memory(node)
        view.isEnabled = node.environment.isEnabled
        let (target, isActive) = (target, isActive)
        memory.tap = { [weak node] in
            guard let node, let stack = node.environment.stack else {
                Transitions.shared.warnAbout(
                    "A NavigationLink was tapped that is in no NavigationStack. Nothing happens.")
                return
            }
            switch target {
            case .value(let value): if let value { stack.follow(value) }
            case .view(let make):
                memory.screen = stack.push({ make() }, node.environment) { isActive?.wrappedValue = false }
                isActive?.wrappedValue = true
            }
        }
        memory.isActive = isActive?.wrappedValue
    }

    func updateScreens(_ node: ViewNode<Self>) {
        let memory = memory(node)
        if let screen = memory.screen, case .view(let make) = target {
            screen.setRoot(
                DeferredView { make() }, node.environment.stack?.environment(node.environment) ?? node.environment)
        }
        follow(memory.isActive, memory, node)
    }

    /// Pushes or pops because the binding says so.
    private func follow(_ isActive: Bool?, _ memory: Memory, _ node: ViewNode<Self>) {
        guard let isActive, let stack = node.environment.stack else { return }
        if isActive, memory.screen == nil { memory.tap() }
        if !isActive, let screen = memory.screen {
            memory.screen = nil
            stack.pop(screen)
        }
    }

    func place(_ views: [UIView], in view: SwiftUIButton, _ node: ViewNode<Self>) { view.show(views) }
}

/// A screen that is pushed while a binding says so.
@MainActor final class Push {
    private struct Shown {
        let id: AnyHashable
        let screen: Screen
        /// The generation of its content.
        var generation: Int
        weak var stack: StackMemory?
    }

    var wanted: AnyHashable?
    var make: () -> any View = { EmptyView() }
    var reset: () -> Void = {}
    var environment = EnvironmentValues()
    var generation = 0
    private var shown: Shown?

    func show(in stack: StackMemory) {
        if let shown, shown.id != wanted { close() }
        guard let wanted else { return }
        guard let shown else { return push(wanted, in: stack) }
        if shown.generation != generation {
            self.shown?.generation = generation
            shown.screen.setRoot(DeferredView(make: make), stack.environment(environment))
        }
    }

    private func push(_ id: AnyHashable, in stack: StackMemory) {
        let screen = stack.push(make, environment) { [weak self] in
            guard let self, self.shown != nil else { return }
            self.shown = nil
            self.wanted = nil
            self.reset()
        }
        shown = Shown(id: id, screen: screen, generation: generation, stack: stack)
    }

    /// Pops the screen, because the binding says so or the view is gone.
    func close() {
        guard let shown else { return }
        self.shown = nil
        shown.stack?.pop(shown.screen)
    }
}

struct PushEffect: Effect {
    let id: () -> AnyHashable?
    let reset: () -> Void
    let make: () -> any View

    private func push(_ node: any EffectNode) -> Push {
        if let found = node.memory as? Push { return found }
        let made = Push()
        node.memory = made
        return made
    }

    func update(_ node: any EffectNode) {
        let push = push(node)
        (push.wanted, push.make, push.reset, push.environment) = (id(), make, reset, node.environment)
        push.generation = node.generation
        Updates.schedule()
    }

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { chrome.pushes.append(push(node)) }
    func end(_ node: any EffectNode) { push(node).close() }
}

struct DestinationEffect: Effect {
    let type: Any.Type
    let make: (AnyHashable) -> any View

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) {
        chrome.destinations.append(Chrome.Destination(type: type, node: node, make: make))
    }
}

extension View {
    public func navigationDestination<Value: Hashable, Content: View>(
        for data: Value.Type, @ViewBuilder destination: @escaping (Value) -> Content
    ) -> some View {
        effect(
            DestinationEffect(type: data) { value in
                (value.base as? Value).map { AnyView(destination($0)) } ?? AnyView(EmptyView())
            })
    }

    public func navigationDestination<Content: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> Content
    ) -> some View {
        effect(
            PushEffect(
                id: { isPresented.wrappedValue ? true : nil }, reset: { isPresented.wrappedValue = false },
                make: { destination() }))
    }

    public func navigationDestination<Item: Hashable, Content: View>(
        item: Binding<Item?>, @ViewBuilder destination: @escaping (Item) -> Content
    ) -> some View {
        effect(
            PushEffect(
                id: { item.wrappedValue.map { AnyHashable($0) } }, reset: { item.wrappedValue = nil },
                make: { AnyView(erasing: item.wrappedValue.map(destination)) }))
    }
}
