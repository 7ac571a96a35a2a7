public import Foundation

/// A gesture of the user. A tap is recognised by the text of what it is on; others are not made here.
@preconcurrency @MainActor public protocol Gesture {
    associatedtype Value = Void
    /// What a tap calls.
    var onTap: (() -> Void)? { get }
}

extension Gesture {
    public var onTap: (() -> Void)? { nil }
    public func onEnded(_ action: @escaping (Value) -> Void) -> EndedGesture<Self> {
        EndedGesture(base: self, action: action)
    }
    public func onChanged(_ action: @escaping (Value) -> Void) -> Self { self }
    public func updating<State>(
        _ state: GestureState<State>, body: @escaping (Value, inout State, inout Transaction) -> Void
    ) -> Self { self }
    public func simultaneously<Other: Gesture>(with other: Other) -> SimultaneousGesture<Self, Other> {
        SimultaneousGesture(self, other)
    }
}

public struct EndedGesture<Base: Gesture>: Gesture {
    public typealias Value = Base.Value
    let base: Base
    let action: (Value) -> Void

    public var onTap: (() -> Void)? {
        guard base is TapGesture, let value = () as? Value else { return base.onTap }
        return { action(value) }
    }
}

public struct TapGesture: Gesture {
    public init(count: Int = 1) {}
}

public struct LongPressGesture: Gesture {
    public typealias Value = Bool
    public init(minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10) {}
}

public struct DragGesture: Gesture {
    public struct Value: Equatable, Sendable {
        public var translation: CGSize
        public var location: CGPoint
        public var startLocation: CGPoint
    }
    public init(minimumDistance: CGFloat = 10, coordinateSpace: CoordinateSpace = .local) {}
}

public struct MagnificationGesture: Gesture {
    public typealias Value = CGFloat
    public init(minimumScaleDelta: CGFloat = 0.01) {}
}

/// Two gestures at once.
public struct SimultaneousGesture<First: Gesture, Second: Gesture>: Gesture {
    private let first: First
    private let second: Second

    public init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    public var onTap: (() -> Void)? { first.onTap ?? second.onTap }
}

/// The second gesture if the first is not made.
public struct ExclusiveGesture<First: Gesture, Second: Gesture>: Gesture {
    private let first: First
    private let second: Second

    public init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }

    public var onTap: (() -> Void)? { first.onTap ?? second.onTap }
}

extension View {
    public func gesture(_ gesture: some Gesture) -> some View { tapped(gesture) }
    public func simultaneousGesture(_ gesture: some Gesture) -> some View { tapped(gesture) }
    public func highPriorityGesture(_ gesture: some Gesture) -> some View { tapped(gesture) }

    private func tapped(_ gesture: some Gesture) -> some View { onTapGesture { gesture.onTap?() } }
}
