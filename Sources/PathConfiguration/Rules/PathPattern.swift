import Foundation

/// A pattern of a rule: a regular expression that is compiled once and may match anywhere in a path.
///
/// The dialect is ICU's, which iOS uses. Android's `java.util.regex` is similar. Look-ups do not reproduce the
/// differences; the linter reports the ones that it knows.
public struct PathPattern: Sendable {
    /// The result of a search within a budget.
    enum Search: Equatable {
        /// The first part of the path that the pattern matches, which may be empty.
        case found(Substring)
        case notFound
        /// The search took too much time or memory.
        case gaveUp
    }

    private enum Matcher: Sendable {
        /// The empty pattern on Android, which matches at the start of every path.
        case empty
        /// A pattern without metacharacters. A search for plain text takes a third of the time of a regular expression.
        case plainText
        case expression(NSRegularExpression)
    }

    /// The bytes that every regular expression takes literally.
    private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/-=&%".utf8)
    /// The longest pattern, in UTF-16 code units.
    static let maximumLength = 4_096
    /// What to do about a pattern that takes too long.
    public static let adviceIfSlow =
        "Let no repetition contain another one that can match the same text: write [^/]+ instead of .+ for a segment."

    public let text: String
    private let matcher: Matcher

    public init(_ text: String, platform: Platform = .ios) throws(InvalidPattern) {
        self.text = text
        if text.isEmpty, platform.emptyPatternMatches {
            matcher = .empty
        } else if platform.patternsAreCaseSensitive, !text.isEmpty,
            text.utf8.allSatisfy(PathPattern.plainBytes.contains)
        {
            matcher = .plainText
        } else {
            guard text.utf16.count <= PathPattern.maximumLength else { throw .tooLong(text) }
            do {
                let options: NSRegularExpression.Options = platform.patternsAreCaseSensitive ? [] : .caseInsensitive
                matcher = .expression(try NSRegularExpression(pattern: text, options: options))
            } catch {
                throw InvalidPattern(text)
            }
        }
    }

    /// Returns the first part of the path that the pattern matches, which may be empty. `nil` if it matches nothing, or
    /// if the search takes too long.
    public func firstMatch(in path: String) -> Substring? {
        var budget = PatternBudget()
        guard case .found(let part) = search(path, &budget) else { return nil }
        return part
    }

    func search(_ path: String, _ budget: inout PatternBudget) -> Search {
        switch matcher {
        case .empty: return .found(path.prefix(0))
        case .plainText: return path.range(of: text, options: .literal).map { .found(path[$0]) } ?? .notFound
        case .expression(let expression):
            guard budget.spend() else { return .gaveUp }
            return PathPattern.search(path, for: expression, &budget)
        }
    }

    /// Searches with ICU's progress reports: one for each place where it tries, and one for each 10,000 steps in between.
    private static func search(
        _ path: String, for expression: NSRegularExpression, _ budget: inout PatternBudget
    ) -> Search {
        var search = Search.notFound
        enumerate(path, expression) { match, flags, stop in
            if let match {
                if let range = Range(match.range, in: path) { search = .found(path[range]) }
                stop.pointee = true
            } else if flags.contains(.internalError) || flags.contains(.progress) && !budget.spend() {
                search = .gaveUp
                stop.pointee = true
            }
        }
        return search
    }

    /// On Linux, Foundation declares the block as escaping, although it does not keep it.
    private static func enumerate(
        _ path: String, _ expression: NSRegularExpression,
        _ body: (NSTextCheckingResult?, NSRegularExpression.MatchingFlags, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        withoutActuallyEscaping(body) { body in
            expression.enumerateMatches(
                in: path, options: [.reportProgress, .reportCompletion],
                range: NSRange(path.startIndex..., in: path), using: body)
        }
    }
}

/// The processor time that one look-up may use for regular expressions.
///
/// A pattern such as `^(/.+)+/edit$` needs time that doubles with each segment of a path that it does not match
/// ("catastrophic backtracking"), so a page could stop the daemon with the path of a visit. The time is that of the
/// thread, because a busy machine must not change what a pattern matches.
struct PatternBudget {
    static let usual = Duration.milliseconds(20)
    /// Asking for the time costs as much as a simple pattern.
    private static let stepsBetweenChecks = 16

    private let limit: Duration
    private var steps = 0
    private var end: Duration?
    private(set) var isSpent = false

    init(_ limit: Duration = usual) { self.limit = limit }

    /// Counts a pattern or a part of the search for one, which takes 0.2 ms at most.
    /// - Returns: whether the look-up may go on.
    mutating func spend() -> Bool {
        steps += 1
        guard !isSpent, steps.isMultiple(of: PatternBudget.stepsBetweenChecks) else { return !isSpent }
        let now = PatternBudget.processorTime
        isSpent = now >= end ?? now + limit
        end = end ?? now + limit
        return !isSpent
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
