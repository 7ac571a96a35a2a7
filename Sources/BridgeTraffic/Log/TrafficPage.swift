/// The page that a record is about.
@MainActor public protocol TrafficPage: AnyObject {
    var id: String { get }
    var webView: String { get }
    /// The URL, for records about the page itself.
    var url: String { get }
    /// The URL, for all other records. A long one is cut, because every record of the page repeats it.
    var repeatedURL: String { get }
}
