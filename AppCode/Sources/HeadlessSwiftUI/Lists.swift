import HeadlessUIKit

/// A view for each element of a collection.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, PrimitiveView {
    private let views: [AnyView]

    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @MainActor (Data.Element) -> Content
    ) { views = data.map { AnyView(content($0)) } }

    public init(_ data: Data, @ViewBuilder content: @MainActor (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID { views = data.map { AnyView(content($0)) } }

    public init(_ data: Range<Int>, @ViewBuilder content: @MainActor (Int) -> Content)
    where Data == Range<Int>, ID == Int { views = data.map { AnyView(content($0)) } }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIStackView(arrangedSubviews: views.map { $0.makeUIView() }) }
}

/// Views that can be scrolled.
public struct ScrollView: View, PrimitiveView {
    private let content: AnyView

    public init<Content: View>(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content
    ) { self.content = AnyView(content()) }

    public var body: Never { fatalError("A primitive view has no body.") }

    func makeUIView() -> UIView {
        let view = UIScrollView()
        view.addSubview(content.makeUIView())
        return view
    }
}

public enum Axis: Sendable {
    case horizontal, vertical

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
    }
}
