import Foundation

/// A pattern of a rule: a regular expression that is compiled once and may match anywhere in a path.
///
/// The dialect is ICU's, which iOS uses. Android's `java.util.regex` is similar. Look-ups do not reproduce the
/// differences; the linter reports the ones that it knows.
public struct PathPattern: Sendable {
    private enum Matcher: Sendable {
        /// The empty pattern on Android, which matches at the start of every path.
        case empty
        /// A pattern without metacharacters. A search for plain text takes a third of the time of a regular expression.
        case plainText
        case expression(NSRegularExpression)
    }

    /// The bytes that every regular expression takes literally.
    private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/-=&%".utf8)

    public let text: String
    private let matcher: Matcher

    /// - Throws: ``InvalidPattern``.
    public init(_ text: String, platform: Platform = .ios) throws(InvalidPattern) {
        self.text = text
        if text.isEmpty, platform.emptyPatternMatches {
            matcher = .empty
        } else if platform.patternsAreCaseSensitive, !text.isEmpty,
            text.utf8.allSatisfy(PathPattern.plainBytes.contains)
        {
            matcher = .plainText
        } else {
            do {
                let options: NSRegularExpression.Options = platform.patternsAreCaseSensitive ? [] : .caseInsensitive
                matcher = .expression(try NSRegularExpression(pattern: text, options: options))
            } catch {
                throw InvalidPattern(text)
            }
        }
    }

    /// Returns the first part of the path that the pattern matches, which may be empty. `nil` if it matches nothing.
    public func firstMatch(in path: String) -> Substring? {
        switch matcher {
        case .empty: path.prefix(0)
        case .plainText: path.range(of: text, options: .literal).map { path[$0] }
        case .expression(let expression):
            expression.firstMatch(in: path, range: NSRange(path.startIndex..., in: path))
                .flatMap { Range($0.range, in: path) }
                .map { path[$0] }
        }
    }
}

extension URL {
    /// The text that patterns are matched against: the path, percent-encoded and with its trailing slash, followed by
    /// `?` and the query if `withQuery` is true. It never includes scheme, host or fragment.
    func pathSubject(withQuery: Bool) -> String {
        let path = path(percentEncoded: true)
        let query = withQuery ? query(percentEncoded: true) : nil
        return query.map { "\(path)?\($0)" } ?? path
    }
}
