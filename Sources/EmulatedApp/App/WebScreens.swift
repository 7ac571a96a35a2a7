import BridgeServer
import Foundation
import PathConfiguration

/// The web screens on the stacks of all tabs: which of them a web view shows, which have appeared, and the life-cycle
/// methods that follow. On the main actor.
@MainActor final class WebScreens {
    private var screens: [Screen.ID: WebScreen] = [:]
    /// The web screens that have appeared, and not disappeared since.
    private var appeared: [WebScreen] = []
    private unowned let app: EmulatedApp

    init(of app: EmulatedApp) { self.app = app }

    private var tabs: Tabs { app.tabs }
    private var platform: Platform { app.configuration.framework.platform }

    subscript(id: Screen.ID) -> WebScreen? { screens[id] }

    /// The screen that the user sees; nil if it is native.
    var visible: WebScreen? { app.visibleScreen.flatMap { screens[$0.id] } }

    /// Returns the web screen of that id, which is made if it is new.
    func screen(_ id: Screen.ID, _ url: URL) -> WebScreen {
        if let screen = screens[id] { return screen }
        let screen = WebScreen(id, url, of: app)
        screens[id] = screen
        return screen
    }

    private func webScreen(of screen: Screen) -> WebScreen? { screen.isWeb ? self.screen(screen.id, screen.url) : nil }

    /// Discards the screens that are on no stack.
    func discardUnused() {
        let ids = tabs.screenIDs
        screens = screens.filter { ids.contains($0.key) }
    }

    // MARK: What UIKit and fragments do

    /// Attaches each web view of each tab to the screen that it shows now, and calls the life-cycle methods of the screens
    /// that appear and disappear.
    func updateDestinations() {
        for (tab, views) in tabs.shownViews {
            for stack in NavigationStack.allCases {
                guard let bridge = views.bridges[stack], let session = views.sessions[stack] else { continue }
                let shown = owner(of: session, stack, tab)?.bridgeDelegate
                guard bridge.delegate !== shown else { continue }
                bridge.delegate?.webViewDidBecomeDeactivated()
                if let view = bridge.webView { shown?.webViewDidBecomeActive(view) }
            }
        }
        let (former, appearing) = (appeared, inSight)
        appeared = appearing
        let gone = former.filter { screen in !appearing.contains { $0 === screen } }
        let new = appearing.filter { screen in !former.contains { $0 === screen } }
        // UIKit calls the methods in this order.
        gone.forEach { $0.bridgeDelegate.onViewWillDisappear() }
        new.forEach { $0.bridgeDelegate.onViewWillAppear() }
        gone.forEach { $0.bridgeDelegate.onViewDidDisappear() }
        new.forEach { $0.bridgeDelegate.onViewDidAppear() }
    }

    /// Tells the visible screen's session that its screen appeared.
    func visibleScreenDidAppear() {
        if hidesMain(tabs.navigation), tabs.modalSession !== tabs.sessions[.main] {
            tabs.sessions[.main]?.visitableDidDisappear()
        }
        guard let screen = app.visibleScreen, let session = app.visibleSession else { return }
        guard let web = webScreen(of: screen) else {
            let covered = session.topmostVisitable as? WebScreen
            if tabs.navigation[tabs.navigation.visibleStack].contains(where: { $0.id == covered?.id }) {
                session.visitableDidDisappear()
            }
            return
        }
        session.visitableDidAppear(web, wasInSight: appeared.contains { $0 === web })
    }

    /// Lets the two topmost screens of a stack appear and disappear as UIKit does when the user begins to swipe back
    /// and lets go.
    func cancelBack(on stack: NavigationStack) {
        let screens = tabs.navigation[stack]
        guard let top = screens.last, let beneath = screens.dropLast().last else { return }
        let (covering, covered) = (webScreen(of: top), webScreen(of: beneath))
        covering?.bridgeDelegate.onViewWillDisappear()
        covered?.bridgeDelegate.onViewWillAppear()
        covered?.bridgeDelegate.onViewWillDisappear()
        covered?.bridgeDelegate.onViewDidDisappear()
        covering?.bridgeDelegate.onViewWillAppear()
        tabs.session(of: stack)?.visitableDidCancelBack(from: covering, to: covered)
        covering?.bridgeDelegate.onViewDidAppear()
    }

    /// Whether a web view is attached to that screen.
    func isAttached(_ visitable: (any Visitable)?, to session: Session) -> Bool {
        tabs.shownViews.contains { tab, views in
            NavigationStack.allCases.contains { stack in
                guard views.sessions[stack] === session else { return false }
                let owner = owner(of: session, stack, tab)
                return owner != nil && owner === visitable
            }
        }
    }

    /// The screen that owns a web view. A session takes the web view from a screen that disappears; see
    /// `Session.swift`, `deactivateVisitable`.
    private func owner(of session: Session, _ stack: NavigationStack, _ tab: Int) -> WebScreen? {
        guard let state = tabs.navigators[tab]?.state, let shown = tabs.shownStack(of: session, stack, tab),
            shown == .modal || !hidesMain(state)
        else { return nil }
        return state[shown].last.flatMap { screens[$0.id] }
    }

    /// The web screens that have appeared: on iOS those of the selected tab. UIKit lets the screen beneath a sheet stay, and
    /// Android hides the views of the other tabs without stopping their fragments.
    private var inSight: [WebScreen] {
        let shown = platform == .android ? Array(tabs.navigators.indices) : [tabs.selected]
        return shown.flatMap { tab -> [WebScreen] in
            guard let state = tabs.navigators[tab]?.state else { return [] }
            let main = hidesMain(state) ? nil : state.main.last
            return [main, state.modal.last].compactMap { $0.flatMap { screens[$0.id] } }
        }
    }

    /// Whether main's top screen disappears beneath the modal. On iOS only a full-screen modal removes the view of the
    /// screen beneath it: on an iPhone, all other styles are sheets. On Android, each modal screen removes it, unless
    /// it is a bottom sheet.
    private func hidesMain(_ state: NavigationState) -> Bool {
        guard let top = state.modal.last else { return false }
        return platform == .android ? !top.isBottomSheet : state.modalStyle == .full
    }
}
