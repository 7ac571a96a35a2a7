import HeadlessUIKit

/// A tab bar controller of UIKit, with a screen for each view.
public struct TabView<SelectionValue: Hashable, Content: View>: View, UIKitView {
    private let tabs: Content
    private let selection: Binding<SelectionValue>?

    public init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {
        (tabs, self.selection) = (content(), selection)
    }

    public init(selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) {
        (tabs, self.selection) = (content(), selection)
    }

    public init(@ViewBuilder content: () -> Content) where SelectionValue == Int {
        (tabs, selection) = (content(), nil)
    }

    var content: (any View)? { tabs }

    func makeView(_ node: ViewNode<Self>) -> UIView { memory(node).controller.view }

    func update(_ view: UIView, _ node: ViewNode<Self>) {
        let memory = memory(node)
        let selection = selection
        memory.select = { tag in
            if let value = tag?.base as? SelectionValue, selection?.wrappedValue != value {
                selection?.wrappedValue = value
            }
        }
        memory.selected = selection.map { AnyHashable($0.wrappedValue) }
    }

    func place(_ views: [UIView], in view: UIView, _ node: ViewNode<Self>) {}
    func layOut(_ node: ViewNode<Self>) { memory(node).layOut(node.child?.pieces ?? [], node) }
    func end(_ node: ViewNode<Self>) { memory(node).controller.removeFromParent() }
    var ownsScreens: Bool { true }
    func visibleNode(_ node: ViewNode<Self>) -> Node? { memory(node).visibleNode }

    private func memory(_ node: ViewNode<Self>) -> TabMemory {
        if let found = node.memory as? TabMemory { return found }
        let made = TabMemory()
        node.memory = made
        return made
    }
}

/// What a tab view keeps: a screen for each tab.
@MainActor private final class TabMemory: NSObject, UITabBarControllerDelegate {
    struct Entry {
        let node: Node
        let screen: Screen
        let controller: UIViewController
        let tag: AnyHashable
    }

    let controller = UITabBarController()
    var select: (AnyHashable?) -> Void = { _ in }
    var selected: AnyHashable?
    private var entries: [Entry] = []

    override init() {
        super.init()
        controller.delegate = self
    }

    var visibleNode: Node? {
        entries.indices.contains(controller.selectedIndex) ? entries[controller.selectedIndex].node : nil
    }

    func layOut(_ pieces: [Node], _ node: Node) {
        if let parent = node.screen?.controller, controller.parent !== parent {
            parent.addChild(controller)
            controller.didMove(toParent: parent)
        }
        entries = pieces.enumerated().map { index, piece in
            let known = entries.first { $0.node === piece }
            let screen = known?.screen ?? Screen(adopting: piece)
            let child = known?.controller ?? makeController(for: screen)
            let chrome = piece.chrome
            child.title = chrome.tabItem?.title ?? child.title
            child.tabBarItem.title = chrome.tabItem?.title
            child.tabBarItem.image = chrome.tabItem?.image
            child.tabBarItem.badgeValue = chrome.badge
            return Entry(node: piece, screen: screen, controller: child, tag: chrome.tag ?? AnyHashable(index))
        }
        let controllers = entries.map(\.controller)
        if !controllers.elementsEqual(controller.viewControllers ?? [], by: ===) {
            controller.setViewControllers(controllers, animated: false)
        }
        if let selected, let index = entries.firstIndex(where: { $0.tag == selected }),
            index != controller.selectedIndex
        {
            controller.selectedIndex = index
        }
    }

    func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController) {
        let entry = entries.first { $0.controller === viewController }
        if selected != nil { selected = entry?.tag }
        select(entry?.tag)
        Updates.schedule()
    }
}

/// A tab with its title and its content.
public struct Tab<Value: Hashable, Content: View>: View, GroupView {
    private let content: Content
    private let label: Text
    private let image: String?
    private let tag: AnyHashable?

    public init(_ title: LocalizedStringKey, systemImage: String, value: Value, @ViewBuilder content: () -> Content) {
        (label, image, tag, self.content) = (Text(title), systemImage, AnyHashable(value), content())
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage: String, value: Value, @ViewBuilder content: () -> Content) {
        (label, image, tag, self.content) = (Text(title), systemImage, AnyHashable(value), content())
    }
    public init(_ title: LocalizedStringKey, image: String, value: Value, @ViewBuilder content: () -> Content) {
        (label, self.image, tag, self.content) = (Text(title), image, AnyHashable(value), content())
    }
    public init(_ title: LocalizedStringKey, systemImage: String, @ViewBuilder content: () -> Content)
    where Value == Never {
        (label, image, tag, self.content) = (Text(title), systemImage, nil, content())
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage: String, @ViewBuilder content: () -> Content)
    where Value == Never {
        (label, image, tag, self.content) = (Text(title), systemImage, nil, content())
    }

    var parts: [Part] {
        let item = content.effect(
            TabItemEffect(label: Label(title: { label }, icon: { image.map { Image(systemName: $0) } })))
        return [Part(id: 0, view: tag.map { AnyView(item.effect(TagEffect(tag: $0))) } ?? AnyView(item))]
    }
}

struct TabItemEffect: Effect {
    let label: any View

    var others: [any View] { [label] }

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) {
        let nodes = node.otherNodes
        chrome.tabItem = Chrome.TabItem(
            title: nodes.flatMap(\.texts).first, image: nodes.flatMap(\.images).first)
    }
}

struct TagEffect: Effect {
    let tag: AnyHashable

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { chrome.tag = tag }
}

extension View {
    public func tabItem<Label: View>(@ViewBuilder _ label: () -> Label) -> some View {
        effect(TabItemEffect(label: label()))
    }

    /// - Parameter tag: what the selection of a tab view or a picker is compared with, also if that is optional.
    public func tag<Value: Hashable>(_ tag: Value, includeOptional: Bool = true) -> some View {
        effect(TagEffect(tag: AnyHashable(tag)))
    }
}
