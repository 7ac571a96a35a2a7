/// The page that a record is about.
@MainActor public protocol TrafficPage: AnyObject {
    var id: String { get }
    var webView: String { get }
    var url: String { get }
}
