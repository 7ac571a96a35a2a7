import BridgeProtocol
import BridgeServer
import Foundation

extension JavascriptInterface {
    /// Turbo Android's `TurboSession`, which has one method for each event of the adapter.
    /// - Parameter handle: gets each event, as from the message handler `turbo` on iOS. An error that it throws becomes
    ///   the call's verdict.
    static func turboSession(_ handle: @escaping @MainActor (TurboEvent) throws -> Void) -> JavascriptInterface {
        var session = JavascriptInterface()
        session.addPageEvents(handle)
        session.addProposals(handle)
        session.addVisits(handle)
        return session
    }

    private typealias EventHandler = @MainActor (TurboEvent) throws -> Void

    private mutating func addPageEvents(_ handle: @escaping EventHandler) {
        method("turboIsReady") { (isReady: Bool) in try handle(.turboIsReady(isReady)) }
        method("pageLoaded") { (restorationIdentifier: String) in
            try handle(.visit(.pageLoaded(restorationIdentifier: restorationIdentifier)))
        }
        method("turboFailedToLoad") { try handle(.visit(.pageLoadFailed)) }
        method("pageInvalidated") { try handle(.pageInvalidated) }
        method("formSubmissionStarted") { (location: String) in
            try handle(.formSubmissionStarted(URL(location, argument: 0)))
        }
        method("formSubmissionFinished") { (location: String) in
            try handle(.formSubmissionFinished(URL(location, argument: 0)))
        }
        method("elementTouchStarted") { (prevents: Bool) in try handle(.touch(preventsPullToRefresh: prevents)) }
        method("elementTouchEnded") { try handle(.touch(preventsPullToRefresh: false)) }
        // Only bridged's own scripts call these two. On Android, the WebViewClient decides about links.
        method("linkActivated") { (location: String) in try handle(.linkActivated(URL(location, argument: 0))) }
        method("turboFinding") { (finding: String) in try handle(.finding(TurboFinding(json: finding))) }
    }

    private mutating func addProposals(_ handle: @escaping EventHandler) {
        method("visitProposedToLocation") { (location: String, options: String) in
            try handle(.visitProposed(URL(location, argument: 0), VisitOptions(json: options, argument: 1)))
        }
        method("visitProposalScrollingToAnchor") { (location: String, _: String) in
            try handle(.scrollingToAnchor(URL(location, argument: 0)))
        }
        method("visitProposalRefreshingPage") { (location: String, options: String) in
            try handle(.refreshingPage(URL(location, argument: 0), VisitOptions(json: options, argument: 1)))
        }
    }

    private mutating func addVisits(_ handle: @escaping EventHandler) {
        method("visitStarted") { (identifier: String, _: Bool, _: Bool, _: String) in
            try handle(.visit(.visitStarted(identifier: identifier)))
        }
        method("visitRequestStarted") { (identifier: String) in
            try handle(.visit(.requestStarted(identifier: identifier)))
        }
        method("visitRequestCompleted") { (identifier: String) in
            try handle(.visit(.requestCompleted(identifier: identifier)))
        }
        method("visitRequestFailedWithStatusCode") {
            (location: String, identifier: String, hasCachedSnapshot: Bool, status: Int) in
            _ = try URL(location, argument: 0)
            try handle(
                .visit(
                    .requestFailed(identifier: identifier, statusCode: status, hasCachedSnapshot: hasCachedSnapshot)))
        }
        method("visitRequestFailedWithNonHttpStatusCode") {
            (location: String, identifier: String, hasCachedSnapshot: Bool) in
            _ = try URL(location, argument: 0)
            try handle(
                .visit(.requestFailed(identifier: identifier, statusCode: 0, hasCachedSnapshot: hasCachedSnapshot)))
        }
        method("visitRequestFinished") { (identifier: String) in
            try handle(.visit(.requestFinished(identifier: identifier)))
        }
        method("visitRendered") { (identifier: String) in try handle(.visit(.rendered(identifier: identifier))) }
        method("visitCompleted") { (identifier: String, restorationIdentifier: String) in
            try handle(.visit(.completed(identifier: identifier, restorationIdentifier: restorationIdentifier)))
        }
    }
}

extension URL {
    /// - Throws: `DroppedMessage`.
    fileprivate init(_ text: String, argument: Int) throws {
        guard let url = URL(string: text) else { throw DroppedMessage(.undecodable("URL", text, argument)) }
        self = url
    }
}

extension TurboFinding {
    /// - Throws: `DroppedMessage`.
    fileprivate init(json text: String) throws {
        guard let value = try? ScriptValue(json: JSON.parse(text, .untrusted)),
            let finding = try? value.decode(TurboFinding.self)
        else {
            throw DroppedMessage(.undecodable("a finding as JSON text", text, 0))
        }
        self = finding
    }
}

extension VisitOptions {
    /// Decodes JSON text: methods of interface objects on Android take no objects.
    /// - Throws: `DroppedMessage`.
    fileprivate init(json text: String, argument: Int) throws {
        guard let value = try? ScriptValue(json: JSON.parse(text, .untrusted)),
            let options = try? value.decode(VisitOptions.self)
        else {
            throw DroppedMessage(.undecodable("visit options as JSON text", text, argument))
        }
        self = options
    }

    /// The options as JSON text.
    var jsonText: String { (try? ScriptValue(encoding: self))?.json.text ?? "{}" }
}

extension Verdict {
    fileprivate static func undecodable(_ expected: String, _ found: String, _ argument: Int) -> Verdict {
        Verdict(
            .dropped, reason: .undecodable, expected: expected, found: String(found.prefix(100)), at: "/\(argument)",
            hint: "Check the adapter that calls TurboSession, if it is not bridged's own.")
    }
}
