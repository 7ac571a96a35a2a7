import Foundation

/// A web screen as sessions know it: what stays with it while it is on a stack.
@MainActor final class WebScreen: Visitable {
    let id: Screen.ID
    let visitableURL: URL
    var restorationIdentifier: String?
    /// Why its last visit failed: it shows this and a button to try again.
    var error: TurboError?
    private(set) weak var app: EmulatedApp?
    private(set) lazy var bridgeDelegate = BridgeDelegate(
        location: visitableURL.absoluteString, destination: self, componentTypes: app?.configuration.components ?? [])

    init(_ id: Screen.ID, _ url: URL, of app: EmulatedApp) {
        self.id = id
        visitableURL = url
        self.app = app
    }
}
