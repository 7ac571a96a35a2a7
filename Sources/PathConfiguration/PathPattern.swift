public import Foundation

/// One pattern of a rule: a regular expression, compiled once, that is searched anywhere in a path.
///
/// The dialect is ICU's, which iOS uses. Android's java.util.regex is close to it; where they differ is not shown, but
/// the linter names what it knows of.
public struct PathPattern: Sendable {
    public let text: String
    /// Nil where `needed` tells it all: for plain text, and for the empty pattern that matches everywhere.
    private let expression: NSRegularExpression?
    let needed: RequiredLiteral

    /// - Throws: ``InvalidPattern``.
    public init(_ text: String, profile: Platform = .ios) throws(InvalidPattern) {
        self.text = text
        needed = RequiredLiteral(of: text, tellsCase: profile.patternsTellCase)
        if needed.isWholePattern || text.isEmpty && profile.emptyPatternMatches {
            expression = nil
            return
        }
        do {
            expression = try NSRegularExpression(
                pattern: text, options: profile.patternsTellCase ? [] : .caseInsensitive)
        } catch {
            throw InvalidPattern(text)
        }
    }

    /// The first part of the path that the pattern matches; nil where there is none. It may be empty.
    public func firstMatch(in path: PathSubject) -> Substring? {
        guard let occurrence = needed.firstOccurrence(in: path) else { return nil }
        guard let expression else { return path[occurrence] }
        let whole = NSRange(location: 0, length: path.length)
        guard let match = expression.firstMatch(in: path.text, range: whole) else { return nil }
        return Range(match.range, in: path.text).map { path.text[$0] }
    }

    func matches(_ path: PathSubject) -> Bool {
        guard needed.firstOccurrence(in: path) != nil else { return false }
        guard let expression else { return true }
        return expression.firstMatch(in: path.text, range: NSRange(location: 0, length: path.length)) != nil
    }
}

/// What patterns are searched in: a URL's path as it is written (percent-encoded, with its trailing slash), followed by
/// `?` and the query where queries take part. Never scheme, host or fragment.
public struct PathSubject: Sendable {
    public let text: String
    /// In UTF-16 code units.
    let length: Int
    let utf8: [UInt8]
    let pairs: BytePairs

    /// A path as it stands.
    public init(path: String) {
        text = path
        length = path.utf16.count
        utf8 = Array(path.utf8)
        pairs = BytePairs(in: utf8)
    }

    public init(_ url: URL, withQuery: Bool) {
        let path = url.path(percentEncoded: true)
        let query = withQuery ? url.query(percentEncoded: true) : nil
        self.init(path: query.map { "\(path)?\($0)" } ?? path)
    }

    /// - Parameter range: in bytes.
    subscript(range: Range<Int>) -> Substring {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: range.count)]
    }
}
