import BridgeTesting
public import Testing

/// A module of its own, because a program that uses Swift Testing links its library, and `bridged` uses BridgeTesting.
extension Trait where Self == IssueHandlingTrait {
    /// Shows the latest traffic with each failed expectation within ``withBridgedApp(in:app:_:test:_:)``, and lets the
    /// test have a trace.
    ///
    /// ```swift
    /// @MainActor @Suite(.bridgedTraffic) struct CustomerTests { … }
    /// ```
    public static var bridgedTraffic: Self {
        .compactMapIssues { issue in
            guard let app = BridgedApp.current, !(issue.error is BridgedAppFailure) else { return issue }
            app.latestIssue.withLock { $0 = "\(issue)" }
            let traffic = Comment(rawValue: app.latestRecords.text)
            // A suite hands its traits down to its tests.
            guard !issue.comments.contains(traffic) else { return issue }
            var issue = issue
            issue.comments.append(traffic)
            return issue
        }
    }
}
