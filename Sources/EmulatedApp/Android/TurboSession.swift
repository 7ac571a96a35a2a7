import BridgeProtocol
import BridgeServer
import Foundation

extension JavascriptInterface {
    /// Turbo Android's `TurboSession`: what the adapter tells by one method an event, its members by their places.
    /// - Parameter take: gets the event, as from the message handler `turbo` on iOS. What it throws is the call's verdict.
    static func turboSession(_ take: @escaping @MainActor (TurboEvent) throws -> Void) -> JavascriptInterface {
        var session = JavascriptInterface()
        session.addPage(take)
        session.addProposals(take)
        session.addVisits(take)
        return session
    }

    private typealias Take = @MainActor (TurboEvent) throws -> Void

    private mutating func addPage(_ take: @escaping Take) {
        method("turboIsReady") { (isReady: Bool) in try take(.turboIsReady(isReady)) }
        method("pageLoaded") { (restorationIdentifier: String) in
            try take(.visit(.pageLoaded(restorationIdentifier: restorationIdentifier)))
        }
        method("turboFailedToLoad") { try take(.visit(.pageLoadFailed)) }
        method("pageInvalidated") { try take(.pageInvalidated) }
        method("formSubmissionStarted") { (location: String) in
            try take(.formSubmissionStarted(URL(location, argument: 0)))
        }
        method("formSubmissionFinished") { (location: String) in
            try take(.formSubmissionFinished(URL(location, argument: 0)))
        }
        // Of our adapter alone: Android's WebViewClient is asked before a link is followed.
        method("linkActivated") { (location: String) in try take(.linkActivated(URL(location, argument: 0))) }
    }

    private mutating func addProposals(_ take: @escaping Take) {
        method("visitProposedToLocation") { (location: String, options: String) in
            try take(.visitProposed(URL(location, argument: 0), VisitOptions(json: options, argument: 1)))
        }
        method("visitProposalScrollingToAnchor") { (location: String, _: String) in
            try take(.scrollingToAnchor(URL(location, argument: 0)))
        }
        method("visitProposalRefreshingPage") { (location: String, options: String) in
            try take(.refreshingPage(URL(location, argument: 0), VisitOptions(json: options, argument: 1)))
        }
        method("visitProposedToCrossOriginRedirect") { (_: String, redirect: String, identifier: String) in
            try take(.crossOriginRedirect(URL(redirect, argument: 1), identifier: identifier))
        }
    }

    private mutating func addVisits(_ take: @escaping Take) {
        method("visitStarted") { (identifier: String, _: Bool, _: Bool, _: String) in
            try take(.visit(.visitStarted(identifier: identifier)))
        }
        method("visitRequestStarted") { (identifier: String) in
            try take(.visit(.requestStarted(identifier: identifier)))
        }
        method("visitRequestCompleted") { (identifier: String) in
            try take(.visit(.requestCompleted(identifier: identifier)))
        }
        method("visitRequestFailedWithStatusCode") { (location: String, identifier: String, _: Bool, status: Int) in
            let url = try URL(location, argument: 0)
            try take(.visit(.requestFailed(identifier: identifier, statusCode: status, url: url)))
        }
        method("visitRequestFinished") { (identifier: String) in
            try take(.visit(.requestFinished(identifier: identifier)))
        }
        method("visitRendered") { (identifier: String) in try take(.visit(.rendered(identifier: identifier))) }
        method("visitCompleted") { (identifier: String, restorationIdentifier: String) in
            try take(.visit(.completed(identifier: identifier, restorationIdentifier: restorationIdentifier)))
        }
    }
}

extension URL {
    /// - Throws: a verdict.
    fileprivate init(_ text: String, argument: Int) throws {
        guard let url = URL(string: text) else { throw DroppedMessage(.undecodable("URL", text, argument)) }
        self = url
    }
}

extension VisitOptions {
    /// From JSON text, as Android's interface object takes objects.
    /// - Throws: a verdict.
    fileprivate init(json text: String, argument: Int) throws {
        guard let value = try? ScriptValue(json: JSON.parse(text)), let options = try? value.decode(VisitOptions.self)
        else {
            throw DroppedMessage(.undecodable("visit options as JSON text", text, argument))
        }
        self = options
    }

    /// The same as JSON text.
    var jsonText: String { (try? ScriptValue(encoding: self))?.json.text ?? "{}" }
}

extension Verdict {
    fileprivate static func undecodable(_ expected: String, _ found: String, _ argument: Int) -> Verdict {
        Verdict(
            .dropped, reason: .undecodable, expected: expected, found: String(found.prefix(100)), at: "/\(argument)",
            hint: "Look at the adapter that calls TurboSession, if it is not bridged's own.")
    }
}
