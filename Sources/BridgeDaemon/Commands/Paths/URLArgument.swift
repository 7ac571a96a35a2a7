import Foundation

/// A URL of the command line, or a path of the app.
/// - Throws: `CommandFailure`.
func parseURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), !text.isEmpty else {
        throw CommandFailure(
            "'\(text)' is no URL. Give one like https://app.example/posts/1, or a path like /posts/1.", .usage)
    }
    return url
}
