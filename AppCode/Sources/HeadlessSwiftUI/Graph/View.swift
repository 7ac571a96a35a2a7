@_exported public import HeadlessUIKit
@_exported public import OpenCombineShim

/// A view of SwiftUI. Its values are compared, its state is kept by its place, and its texts, fields, buttons and web views
/// become views of UIKit, so that a flow can read and tap them. Nothing is laid out or drawn.
@preconcurrency @MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// A view of SwiftUI itself, which has a node of its own kind instead of a body.
@MainActor protocol PrimitiveView: View {
    func makePrimitiveNode(parent: Node?, _ environment: EnvironmentValues) -> Node
}

extension PrimitiveView {
    public var body: Never { noBody() }
}

extension Never: View {
    public var body: Never { noBody() }
}

func noBody() -> Never { fatalError("A view of SwiftUI itself has no body.") }

extension View {
    func makeNode(parent: Node?, _ environment: EnvironmentValues) -> Node {
        if let primitive = self as? any PrimitiveView {
            return primitive.makePrimitiveNode(parent: parent, environment)
        }
        if let view = self as? any UIViewRepresentable { return view.makeRepresentableNode(parent, environment) }
        if let view = self as? any UIViewControllerRepresentable {
            return view.makeRepresentableNode(parent, environment)
        }
        return BodyNode(self, parent: parent, environment)
    }
}

@preconcurrency @MainActor @resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first content: First
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(branch: 0, view: content) }
    public static func buildEither<First: View, Second: View>(
        second content: Second
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(branch: 1, view: content) }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

public struct EmptyView: View, GroupView {
    nonisolated public init() {}
    var parts: [Part] { [] }
}

extension Optional: View where Wrapped: View {
    public var body: Never { noBody() }
}

extension Optional: PrimitiveView where Wrapped: View {}

extension Optional: GroupView where Wrapped: View {
    var parts: [Part] { map { [Part(id: 0, view: $0)] } ?? [] }
}

/// One of two views. Each has its own identity, so that the state of one is gone when the other is shown.
public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View, GroupView {
    let branch: Int
    let view: any View

    var parts: [Part] { [Part(id: branch, view: view)] }
}

/// A view of any type. If the type changes, the old view's state is gone.
public struct AnyView: View, GroupView {
    let view: any View

    public init<Content: View>(_ view: Content) { self.view = view }
    public init(erasing view: any View) { self.view = view }

    var parts: [Part] { [Part(id: 0, view: view)] }
}

/// Views one after the other. The state of each is kept by its place.
public struct TupleView<Content>: View, GroupView {
    let views: [any View]

    init(_ views: [any View]) { self.views = views }

    var parts: [Part] { Part.list(views) }
}

public struct Group<Content: View>: View, GroupView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    var parts: [Part] { [Part(id: 0, view: content)] }
}

/// A view that is made where it is shown, so that what its closure reads belongs to it.
struct DeferredView: View, GroupView {
    let make: () -> any View

    var parts: [Part] { [Part(id: 0, view: make())] }
}

@preconcurrency @MainActor public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
