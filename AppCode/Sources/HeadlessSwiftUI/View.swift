@_exported public import HeadlessUIKit

/// A view of SwiftUI. Texts, images, buttons and stacks become views of UIKit, so that a flow can read and tap them.
@preconcurrency @MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// A view that has a view of UIKit instead of a body.
@MainActor protocol PrimitiveView {
    func makeUIView() -> UIView
}

extension Never: View {
    public var body: Never { fatalError("A primitive view has no body.") }
}

extension View {
    /// The view of UIKit that shows this one.
    func rendered() -> UIView {
        if let primitive = self as? any PrimitiveView { return primitive.makeUIView() }
        return body.rendered()
    }
}

@MainActor @resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView {
        var views: [AnyView] = []
        repeat views.append(AnyView(each content))
        return TupleView(views)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<Content: View>(first content: Content) -> AnyView { AnyView(content) }
    public static func buildEither<Content: View>(second content: Content) -> AnyView { AnyView(content) }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

public struct EmptyView: View, PrimitiveView {
    public init() {}
    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIView() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("A primitive view has no body.") }
}

extension Optional: PrimitiveView where Wrapped: View {
    func makeUIView() -> UIView { map { $0.rendered() } ?? UIView() }
}

/// A view of any type.
public struct AnyView: View, PrimitiveView {
    private let make: @MainActor () -> UIView

    public init<Content: View>(_ view: Content) { make = { view.rendered() } }
    public init(erasing view: any View) { make = { view.rendered() } }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { make() }
}

/// Views one after the other.
public struct TupleView: View, PrimitiveView {
    let views: [AnyView]

    init(_ views: [AnyView]) { self.views = views }

    public var body: Never { fatalError("A primitive view has no body.") }
    func makeUIView() -> UIView { UIStackView(arrangedSubviews: views.map { $0.makeUIView() }) }
}

@preconcurrency @MainActor public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
