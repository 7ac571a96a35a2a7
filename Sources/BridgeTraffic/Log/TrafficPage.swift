public import BridgeProtocol

/// The page that a record is about.
@MainActor public protocol TrafficPage: AnyObject {
    var id: String { get }
    /// The URL, for records about the page itself.
    var url: String { get }
    /// What all its other records have in common. A long URL in it is cut, because each record repeats it.
    var members: PageMembers { get }
    /// The device that shows the page, if that is an app of its own; nil for all others.
    var device: DeviceInfo? { get }
}

extension TrafficPage {
    public var device: DeviceInfo? { nil }
}
