import HeadlessUIKit

public struct Text: View, PrimitiveView {
    private let text: String

    public init(_ content: String) { text = content }
    public init(verbatim content: String) { text = content }

    public var body: Never { fatalError("A primitive view has no body.") }

    func makeUIView() -> UIView {
        let label = UILabel()
        label.text = text
        return label
    }
}

public struct Image: View, PrimitiveView {
    private let image: UIImage?

    public init(systemName: String) { image = UIImage(systemName: systemName) }
    public init(_ name: String) { image = UIImage(named: name) }
    public init(uiImage: UIImage) { image = uiImage }

    public var body: Never { fatalError("A primitive view has no body.") }

    func makeUIView() -> UIView { UIImageView(image: image) }
}

public struct Button: View, PrimitiveView {
    private let label: AnyView
    private let title: String?
    private let action: @MainActor () -> Void

    public init(_ title: String, action: @escaping @MainActor () -> Void) {
        (self.title, self.action) = (title, action)
        label = AnyView(Text(title))
    }

    public init<Label: View>(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (title, self.action) = (nil, action)
        self.label = AnyView(label())
    }

    public var body: Never { fatalError("A primitive view has no body.") }

    func makeUIView() -> UIView {
        let action = action
        let button = UIButton(type: .system, primaryAction: UIAction(title: title ?? "") { _ in action() })
        if title == nil { button.addSubview(label.makeUIView()) }
        return button
    }
}

/// Views one below the other.
public struct VStack: View, PrimitiveView {
    private let content: AnyView

    public init<Content: View>(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = AnyView(content()) }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { content.makeUIView() }
}

/// Views side by side.
public struct HStack: View, PrimitiveView {
    private let content: AnyView

    public init<Content: View>(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = AnyView(content()) }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { content.makeUIView() }
}

public struct ZStack: View, PrimitiveView {
    private let content: AnyView

    public init<Content: View>(@ViewBuilder content: () -> Content) { self.content = AnyView(content()) }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { content.makeUIView() }
}

public struct Spacer: View, PrimitiveView {
    public init(minLength: CGFloat? = nil) {}
    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIView() }
}

public struct ProgressView: View, PrimitiveView {
    public init() {}
    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIActivityIndicatorView(style: .medium) }
}

public struct Color: View, PrimitiveView {
    let color: UIColor

    public init(_ color: UIColor) { self.color = color }
    public init(uiColor: UIColor) { color = uiColor }

    public static let accentColor = Color(.tintColor)
    public static let primary = Color(.label)
    public static let secondary = Color(.secondaryLabel)
    public static let white = Color(.white)
    public static let black = Color(.black)
    public static let red = Color(.systemRed)
    public static let blue = Color(.systemBlue)
    public static let green = Color(.systemGreen)
    public static let gray = Color(.systemGray)
    public static let clear = Color(.clear)

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIView() }
}
