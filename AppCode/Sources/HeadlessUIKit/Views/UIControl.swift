import Foundation
public import HeadlessViews

/// A view that sends actions to its targets.
@preconcurrency @MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let touchDown = Event(rawValue: 1 << 0)
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let touchUpOutside = Event(rawValue: 1 << 7)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        public static let editingChanged = Event(rawValue: 1 << 17)
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        public static let allTouchEvents = Event(rawValue: 0xFFF)
        public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
    }

    public struct State: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal: State = []
        public static let highlighted = State(rawValue: 1)
        public static let disabled = State(rawValue: 2)
        public static let selected = State(rawValue: 4)
    }

    private struct Target {
        let object: WeakTarget
        let action: Selector
        let events: Event
    }

    open var isEnabled = true
    open var isSelected = false
    open var isHighlighted = false
    private var targets: [Target] = []
    private var handlers: [(events: Event, run: (UIControl) -> Void)] = []

    open var state: State {
        var state = State.normal
        if isHighlighted { state.insert(.highlighted) }
        if !isEnabled { state.insert(.disabled) }
        if isSelected { state.insert(.selected) }
        return state
    }

    open func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {
        guard let target else { return }
        targets.append(Target(object: WeakTarget(target), action: action, events: controlEvents))
    }

    /// Removes the target's action for these events. `nil` stands for every target, or every action.
    open func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {
        targets = targets.compactMap { entry in
            guard target == nil || entry.object.isObject(target), action == nil || entry.action == action else {
                return entry
            }
            let remaining = entry.events.subtracting(controlEvents)
            return remaining.isEmpty ? nil : Target(object: entry.object, action: entry.action, events: remaining)
        }
    }

    func addHandler(for events: Event, _ run: @escaping (UIControl) -> Void) { handlers.append((events, run)) }

    /// Calls the actions that are registered for the events.
    open func sendActions(for controlEvents: Event) {
        for target in targets where !target.events.isDisjoint(with: controlEvents) {
            if let object = target.object.object { target.action.call(object, sender: self) }
        }
        for handler in handlers where !handler.events.isDisjoint(with: controlEvents) { handler.run(self) }
    }
}
