import BridgeWebKit
import Foundation
import PathConfiguration

/// The screens that appear and disappear, and Turbo's snapshots of their pages.
extension Session {
    /// Notes that a screen is on top now. Restores its page, unless the web view has shown it all the time.
    /// - Parameter wasInSight: whether it has never disappeared, as one beneath a sheet. Then UIKit does not report
    ///   that it appears, and stale snapshots stay until the next screen appears.
    public func visitableDidAppear(_ visitable: any Visitable, wasInSight: Bool = false) {
        if isSnapshotCacheStale, !wasInSight {
            isSnapshotCacheStale = false
            clearSnapshotCache()
        }
        if current?.visitable === visitable, !isCovered || isVisiting {
            isCovered = false
            topmost = current
        } else if restoreCurrentVisit(to: visitable) {
            topmost = current
        } else {
            visit(visitable, options: VisitOptions(action: .restore))
            topmost = current
        }
    }

    /// Notes that the topmost screen has disappeared, and no other web screen of the session takes its place: a native
    /// screen or a full-screen modal covers it, or its modal was dismissed. Turbo caches a snapshot of its page, which the
    /// restore visit shows first when the screen appears again; see `visitableViewDidDisappear` and
    /// `visitableViewWillAppear`.
    public func visitableDidDisappear() {
        guard let topmost, !isCovered else { return }
        isCovered = true
        // `topmost` is a copy from when the screen appeared; the visit may have ended since.
        if let current, current.visitable === topmost.visitable, current.visit.state == .completed { cacheSnapshot() }
    }

    /// Makes the visits that hotwire-native-ios makes when the user begins to swipe back and lets go: the screen
    /// beneath is about to appear, so it is restored, and then the one on top appears again. See `Session.swift`,
    /// `visitableViewWillAppear` ("Back swipe gesture canceled") and `visitableViewDidAppear` ("Reappearing after
    /// canceled navigation").
    /// - Parameters:
    ///   - top: the screen that stays; nil if it is native. Then the visit of the screen beneath is not cancelled.
    ///   - beneath: the screen that the user has begun to uncover; nil if it is native.
    public func visitableDidCancelBack(from top: (any Visitable)?, to beneath: (any Visitable)?) {
        if isSnapshotCacheStale {
            isSnapshotCacheStale = false
            clearSnapshotCache()
        }
        if let beneath { visit(beneath, options: VisitOptions(action: .restore)) }
        guard let top, topmost?.visitable === top else { return }
        if topmost?.visit.state != .completed {
            visit(top)
        } else if beneath != nil {
            visit(top, options: VisitOptions(action: .restore))
        }
        topmost = current
    }

    /// Shows a screen of Android again whose page is still there, without a visit of Turbo; see `Session.kt`,
    /// `restoreCurrentVisit`.
    /// - Returns: false if the page belongs to another screen, or its visit has not completed.
    private func restoreCurrentVisit(to visitable: any Visitable) -> Bool {
        guard platform == .android, isInitialized, let current, current.visitable === visitable,
            current.visit.state == .completed, visitable.restorationIdentifier != nil
        else { return false }
        isCovered = false
        notify(.rendered, current)
        notify(.completed, current)
        call("restoreCurrentVisit")
        return true
    }

    /// The URL of a screen: that of the page while the web view shows it, because a script or a redirect may have changed
    /// it; see `VisitableViewController`, `resolveVisitableLocation`.
    func location(of visitable: any Visitable) -> URL {
        guard visitable === rendered, let url = webView.url, ["http", "https"].contains(url.scheme) else {
            return visitable.currentVisitableURL
        }
        return url
    }

    /// Clears Turbo's cache of snapshots.
    public func clearSnapshotCache() { call("clearSnapshotCache") }

    /// Clears Turbo's cache of snapshots when a screen appears the next time; see `visitableViewWillAppear`.
    public func markSnapshotCacheAsStale() { isSnapshotCacheStale = true }

    /// Makes Turbo cache a snapshot of the page.
    public func cacheSnapshot() { call("cacheSnapshot") }

    private func call(_ method: String) {
        guard isInitialized else { return }
        webView.evaluateJavaScript("window.turboNative.\(method)()", completionHandler: nil)
    }
}
