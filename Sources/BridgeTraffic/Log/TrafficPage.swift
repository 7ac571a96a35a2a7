/// The page that a record is about.
@MainActor public protocol TrafficPage: AnyObject {
    var id: String { get }
    var webView: String { get }
    /// The URL, for records about the page itself.
    var url: String { get }
    /// The URL for all other records, which repeat it: the beginning of a long one.
    var repeatedURL: String { get }
}
