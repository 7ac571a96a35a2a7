import BridgeProtocol
import BridgeServer
import Foundation

/// The parts of the app in which hotwire-native-android differs from iOS.
extension EmulatedApp {
    /// The location at which the app starts after a link from outside; see `NavigatorHost.kt`,
    /// `ensureDeeplinkStartLocationValid`.
    /// - Parameter start: the app's own start location.
    func startLocation(for link: URL, _ start: URL) -> URL {
        configuration.framework.platform == .ios || link.host == start.host ? link : start
    }

    /// Replaces the screen whose renderer has gone with a new one, which gets a new session; see
    /// `HotwireWebFragmentDelegate.kt`, `onRenderProcessGone`. The screens beneath are restored without their
    /// identifiers, which the old session had.
    func replaceScreen(of session: Session) {
        guard session === self.session(of: navigation.visibleStack), let screen = visibleScreen, screen.isWeb else {
            return session.reload()
        }
        for other in navigation.main + navigation.modal { screens[other.id]?.restorationIdentifier = nil }
        lastProposal = screen.url
        navigate("the renderer of \(screen.url) has gone", VisitOptions(action: .replace)) {
            $0.route(screen.url, action: .replace)
        }
    }

    /// Pulls the screen down, as a finger on an element of the page does; see `HotwireSwipeRefreshLayout.kt`.
    func pullToRefresh(_ session: Session, touching element: String) throws {
        guard let page = page(of: session) else { return }
        let touch = """
            ((selector, type) => {
              const element = document.querySelector(selector)
              element?.dispatchEvent(new Event(type, { bubbles: true }))
              return Boolean(element)
            })
            """
        let action = ActionResult.current
        action?.begin()
        page.evaluate(JavaScriptCall(touch, element, "touchstart").source) { [weak self] result in
            guard case .success(let found) = result, found.bool == true else {
                action?.end("no element of the page matches \(quoted(element)).")
                return
            }
            do {
                try self?.pullToRefresh(session)
                action?.end()
            } catch {
                page.evaluate(JavaScriptCall(touch, element, "touchend").source) { _ in action?.end("\(error)") }
            }
        }
    }
}
