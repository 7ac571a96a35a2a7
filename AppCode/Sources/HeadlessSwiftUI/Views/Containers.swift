public import Foundation
import HeadlessUIKit

/// A view with others in it.
@MainActor protocol ContainerView: UIKitView where Shown == UIView {}

extension ContainerView {
    func makeView(_ node: ViewNode<Self>) -> UIView { UIView() }
}

public struct VStack<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    {
        self.content = content()
    }
}

public struct HStack<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

public struct ZStack<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { self.content = content() }
}

public typealias LazyVStack = LazyStack
public typealias LazyHStack = LazyStack

/// A stack whose views are made at once here.
public struct LazyStack<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(
        alignment: HorizontalAlignment, spacing: CGFloat? = nil, pinnedViews: Int = 0,
        @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public init(alignment: VerticalAlignment, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { self.content = content() }
}

public struct GridItem: Sendable {
    public enum Size: Sendable {
        case fixed(CGFloat), flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity), adaptive(
            minimum: CGFloat, maximum: CGFloat = .infinity)
    }

    public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {}
}

public struct LazyVGrid<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(
        columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

public struct LazyHGrid<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(
        rows: [GridItem], alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }
}

/// Views that can be scrolled.
public struct ScrollView<Content: View>: View, UIKitView {
    let content: (any View)?

    public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {
        self.content = content()
    }

    func makeView(_ node: ViewNode<Self>) -> UIScrollView { UIScrollView() }
}

/// Rows. Each is a view here; a tap on a button or a link in it is found by its text.
public struct List<SelectionValue: Hashable, Content: View>: View, UIKitView {
    let content: (any View)?

    public init(@ViewBuilder content: () -> Content) where SelectionValue == Never { self.content = content() }
    public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) { self.content = content() }
    public init(selection: Binding<Set<SelectionValue>>?, @ViewBuilder content: () -> Content) {
        self.content = content()
    }

    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where SelectionValue == Never, Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, RowContent> {
        content = ForEach(data, content: rowContent)
    }
    public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where SelectionValue == Never, Content == ForEach<Data, ID, RowContent> {
        content = ForEach(data, id: id, content: rowContent)
    }
    public init<RowContent: View>(_ data: Range<Int>, @ViewBuilder rowContent: @escaping (Int) -> RowContent)
    where SelectionValue == Never, Content == ForEach<Range<Int>, Int, RowContent> {
        content = ForEach(data, content: rowContent)
    }

    func makeView(_ node: ViewNode<Self>) -> UIScrollView { UIScrollView() }
}

public struct Form<Content: View>: View, ContainerView {
    let content: (any View)?

    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

/// Rows with a header and a footer.
public struct Section<Header: View, Content: View, Footer: View>: View, GroupView {
    let parts: [Part]

    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header, @ViewBuilder footer: () -> Footer
    ) {
        parts = Part.list([header(), content(), footer()])
    }
    public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header) where Footer == EmptyView {
        parts = Part.list([header(), content()])
    }
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) where Header == EmptyView {
        parts = Part.list([EmptyView(), content(), footer()])
    }
    public init(@ViewBuilder content: () -> Content) where Header == EmptyView, Footer == EmptyView {
        parts = Part.list([EmptyView(), content()])
    }
    public init(header: Header, footer: Footer, @ViewBuilder content: () -> Content) {
        parts = Part.list([header, content(), footer])
    }
    public init(header: Header, @ViewBuilder content: () -> Content) where Footer == EmptyView {
        parts = Part.list([header, content()])
    }
    public init(footer: Footer, @ViewBuilder content: () -> Content) where Header == EmptyView {
        parts = Part.list([EmptyView(), content(), footer])
    }
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content)
    where Header == Text, Footer == EmptyView {
        parts = Part.list([Text(title), content()])
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content)
    where Header == Text, Footer == EmptyView {
        parts = Part.list([Text(title), content()])
    }
}

/// A view for each element of a collection. Its identity is that of the element.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, GroupView {
    private let data: Data
    private let id: (Data.Element) -> ID
    private let make: (Data.Element) -> Content

    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { (self.data, self.id, make) = (data, { $0[keyPath: id] }, content) }

    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID { (self.data, id, make) = (data, { $0.id }, content) }

    public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content)
    where Data == Range<Int>, ID == Int { (self.data, id, make) = (data, { $0 }, content) }

    public init<Values: MutableCollection & RandomAccessCollection>(
        _ data: Binding<Values>, @ViewBuilder content: @escaping (Binding<Values.Element>) -> Content
    )
    where
        Data == LazyMapSequence<Values.Indices, (Values.Index, ID)>, Values.Element: Identifiable,
        ID == Values.Element.ID, Values.Index: Hashable
    {
        let values = data.wrappedValue
        self.data = values.indices.lazy.map { ($0, values[$0].id) }
        id = { $0.1 }
        make = { content(data[$0.0]) }
    }

    var parts: [Part] { data.map { Part(id: AnyHashable(id($0)), view: make($0)) } }

    public func onDelete(perform action: ((IndexSet) -> Void)?) -> some View { self }
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some View { self }
}

/// Views that are shown if they are open. They always are here.
public struct DisclosureGroup<Label: View, Content: View>: View, GroupView {
    let parts: [Part]

    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) where Label == Text {
        parts = Part.list([Text(title), content()])
    }
    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        parts = Part.list([label(), content()])
    }
}

/// The size of what a view is in: that of the screen.
@MainActor public struct GeometryProxy {
    public var size: CGSize { UIScreen.main.bounds.size }
    public var safeAreaInsets: EdgeInsets { EdgeInsets() }
    public func frame(in space: CoordinateSpace) -> CGRect { UIScreen.main.bounds }
}

public enum CoordinateSpace: Hashable, Sendable { case global, local }

public struct GeometryReader<Content: View>: View, GroupView {
    private let make: (GeometryProxy) -> Content

    public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { make = content }

    var parts: [Part] { [Part(id: 0, view: make(GeometryProxy()))] }
}

@MainActor public struct ScrollViewProxy {
    public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {}
}

public struct ScrollViewReader<Content: View>: View, GroupView {
    private let make: (ScrollViewProxy) -> Content

    public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) { make = content }

    var parts: [Part] { [Part(id: 0, view: make(ScrollViewProxy()))] }
}

public struct Spacer: View, GroupView {
    nonisolated public init(minLength: CGFloat? = nil) {}
    var parts: [Part] { [] }
}

public struct Divider: View, GroupView {
    nonisolated public init() {}
    var parts: [Part] { [] }
}
