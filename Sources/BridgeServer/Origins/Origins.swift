import BridgeProtocol
import BridgeTraffic

/// Decides which pages are the app's own, and so which web view each page gets (docs/security.md). On the main actor.
@MainActor final class Origins {
    private static let mostReported = 64

    private(set) var app: AppOrigins
    /// The origin of the pages that the daemon serves.
    var ofDaemon: Origin?
    /// Called with an origin that becomes one of the app's.
    private var observers: [@MainActor (String) -> Void] = []
    /// Called after the observers, because pages may get another web view now.
    var onChange: @MainActor () -> Void = {}
    /// The other origins whose pages have attached, and have been reported.
    private var reported: Set<String> = []
    private let traffic: TrafficLog

    init(_ app: AppOrigins, _ traffic: TrafficLog) { (self.app, self.traffic) = (app, traffic) }

    /// Makes the origin of the first page the app's. The origin of the demo does not count.
    func decide(by attach: AttachPage, _ sender: PageSender) {
        guard !app.isDecided, attach.frame.isMainFrame, !sender.isOwn, !attach.isDevice else { return }
        let origin = attach.engine == nil ? sender.origin : Origin(attach.frame.origin)
        if let origin, !isOfDaemon(origin) { add(origin) }
    }

    /// Makes an origin one of the app's.
    func add(_ origin: Origin) {
        guard app.add(origin) else { return }
        for observer in observers { observer(origin.text) }
        onChange()
    }

    /// Makes the origin of a URL that native code or a tool loads one of the app's.
    /// - Parameter identity: the identity of the page that loads it.
    func add(of navigation: PageNavigation, from identity: PageIdentity) {
        guard !identity.isObserved, case .url(let url) = navigation, let origin = Origin(startOf: url),
            origin != identity.origin,
            app.webView(of: identity) == identity.webView, !isOfDaemon(origin)
        else { return }
        add(origin)
    }

    func observe(_ observer: @escaping @MainActor (String) -> Void) { observers.append(observer) }

    private func isOfDaemon(_ origin: Origin) -> Bool { ofDaemon.map { OriginPattern($0).matches(origin) } ?? false }

    /// Records, once for each origin, that its pages do not get the web view that they ask for.
    func report(_ page: Page, _ identity: PageIdentity) {
        guard let origin = identity.origin, page.webView != identity.webView, reported.count < Origins.mostReported,
            reported.insert(origin.text).inserted
        else { return }
        traffic.problem(
            .otherOrigin,
            "\(page.id) is a page of \(origin.text), which is not the app's origin. Its web view is "
                + "'\(page.webView.forText)' and not '\(identity.webView.forText)'.",
            hint:
                "Tools reach it by that name. If it is the app's, start the daemon with \(setting("app-origin", "appOrigins", origin.text)), or "
                + "run: bridged app-origin '\(origin.text)'",
            page: page)
    }
}
