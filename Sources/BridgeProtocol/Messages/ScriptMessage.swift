/// A message of the page as a Swift type. The `name` in the body identifies the type.
///
/// ```swift
/// struct ShowToast: ScriptMessage {
///     static let name = "ShowToast"
///     let text: String
/// }
/// ```
public protocol ScriptMessage: Decodable, Sendable {
    /// The value of `name` in the bodies of these messages.
    static var name: String { get }
}
