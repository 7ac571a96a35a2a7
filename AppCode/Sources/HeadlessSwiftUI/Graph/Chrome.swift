import HeadlessUIKit

/// What the views of a screen say about the screen: its title, its bars, what it presents.
@MainActor struct Chrome {
    struct TabItem {
        var title: String?
        var image: UIImage?
    }

    /// The view for each value of a type that is pushed.
    struct Destination {
        let type: Any.Type
        let node: any EffectNode
        let make: (AnyHashable) -> any View
    }

    var title: String?
    var hidesBackButton: Bool?
    var isBarHidden: Bool?
    var tabItem: TabItem?
    var badge: String?
    var tag: AnyHashable?
    var leading: [Node] = []
    var trailing: [Node] = []
    var bottom: [Node] = []
    /// Where a toolbar has the view.
    var placement: ToolbarItemPlacement?
    var destinations: [Destination] = []
    var presentations: [Presentation] = []
    var pushes: [Push] = []
    var search: (prompt: String, text: Binding<String>)?
}

extension Node {
    /// What this node and those below say about their screen.
    var chrome: Chrome {
        var chrome = Chrome()
        collect(&chrome)
        return chrome
    }

    /// What a user reads in the views.
    var texts: [String] { views.flatMap { $0.shownTexts } }
    var images: [UIImage] { views.flatMap { $0.shownImages } }
}

extension UIView {
    fileprivate var shownTexts: [String] {
        let own: String? =
            switch self {
            case let label as UILabel: label.text
            case let button as UIButton: button.currentTitle
            default: nil
            }
        return [own].compactMap(\.self) + subviews.flatMap(\.shownTexts)
    }

    fileprivate var shownImages: [UIImage] {
        [(self as? UIImageView)?.image].compactMap(\.self) + subviews.flatMap(\.shownImages)
    }
}
