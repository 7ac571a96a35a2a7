/// The page that a record is about.
@MainActor public protocol TrafficPage: AnyObject {
    var id: String { get }
    /// The URL, for records about the page itself.
    var url: String { get }
    /// What all its other records have in common. A long URL in it is cut, because each record repeats it.
    var members: PageMembers { get }
}
