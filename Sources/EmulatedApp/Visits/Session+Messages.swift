public import BridgeProtocol
import BridgeServer
import Foundation

/// The events that the adapter posts.
extension Session {
    func receive(_ event: TurboEvent) throws {
        switch event {
        case .turboIsReady(let isReady):
            (isTurboReady, hasAdapter) = (isReady, true)
            if !isReady, isVisiting { missTurbo() }
        case .visit(let event): try receive(event)
        case .visitProposed(let url, let options):
            try delegate?.session(self, didProposeVisitTo: url, options: options)
        case .linkActivated(let url): receiveLink(to: url)
        case .refreshingPage(_, let options):
            guard let visitable = topmost?.visitable else { return }
            begin(makeVisit(.pageRefresh, visitable, options), visitable)
        case .pageInvalidated:
            delegate?.session(self, willRepeatRequestBecause: .pageReload(pageReload ?? PageReload()))
            pageReload = nil
            reload()
        case .finding(.reload(let reload)): pageReload = reload
        case .finding(.formRefused(let response)): delegate?.session(self, didMeet: .formRefused(response))
        case .finding(.serverError(let response)): delegate?.session(self, didMeet: .serverError(response))
        case .formSubmissionStarted(let url): delegate?.session(self, didStartFormSubmissionTo: url)
        case .formSubmissionFinished(let url): delegate?.session(self, didFinishFormSubmissionTo: url)
        case .touch(let prevents): touchPreventsPullToRefresh = prevents
        // These events need no action. The traffic log has them as messages.
        case .scrollingToAnchor, .errorRaised, .log: break
        }
    }

    /// The error of the visit that has just failed, in the form of hotwire-native-ios' main branch.
    func hotwireNativeError(_ error: TurboError) -> HotwireNativeError {
        HotwireNativeError(
            error, isColdBoot: current?.visit.kind == .coldBoot, loadError: loadError, hasAdapter: hasAdapter)
    }

    private func receive(_ event: Visit.Event) throws {
        if case .visitStarted(let identifier) = event, unnamedVisits > 0 {
            unnamedVisits -= 1
            return remember(identifier)
        }
        if !handle(event) { try ignorePastVisit(event.identifier) }
    }

    /// Ignores an event of a past visit of this session, and those of a page that a form without Turbo has led to.
    /// - Throws: `DroppedMessage` if the event belongs to any other visit.
    private func ignorePastVisit(_ identifier: String?) throws {
        if showsFormResult || identifier.map(pastIdentifiers.contains) == true { return }
        throw DroppedMessage(.otherVisit(identifier, current: current?.visit))
    }
}

extension Verdict.Reason {
    /// Turbo reports a visit that the app did not start.
    public static let otherVisit = Verdict.Reason(rawValue: "otherVisit")
}

extension Verdict {
    fileprivate static func otherVisit(_ identifier: String?, current: Visit?) -> Verdict {
        let expected = current.map { visit in
            let name = visit.identifier.map { ", which Turbo calls \($0)" } ?? ""
            return "an event of the \(visit.kind == .coldBoot ? "cold boot" : "visit") of \(visit.url)\(name)"
        }
        return Verdict(
            .dropped, reason: .otherVisit, expected: expected ?? "no event, because no visit is under way",
            found: identifier.map { "an event of the visit \($0)" } ?? "an event of another visit",
            at: identifier == nil ? nil : "/data/identifier",
            hint: """
                The page visits by itself. The browser's back button does that, and so does a script that calls \
                Turbo.navigator. Use the app's back action and Turbo.visit instead.
                """)
    }
}
