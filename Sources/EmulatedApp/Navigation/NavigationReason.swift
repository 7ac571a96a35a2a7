/// A reason why a step did what it did, in addition to the table of rules.
public enum NavigationReason: String, Sendable, CaseIterable {
    case redirected, otherHost, rejected, alert, nativeScreen, historicalLocation
    case samePlace, previousPlace, advances, leftModal, keepsHeight
    case rootStays, noModal, notDismissible, startedBefore
    case popped, notPresented, modalResult, modalReplacesRoot, startLocation, home, opensElsewhere, noRoute
    case noDestination, fallbackDestination, startDestinationMissing, onlyDestination, noResultDestination

    /// The reason in words, for logs and `bridged route`.
    public var text: String {
        switch self {
        case .redirected: "the visit was redirected: its screen is removed first"
        case .otherHost: "the host is not the start location's"
        case .rejected: "the app refuses it"
        case .alert: "the app makes it an alert"
        case .nativeScreen: "the app makes it a native screen: nothing is visited"
        case .historicalLocation: "it is a historical location: a modal is dismissed first"
        case .samePlace: "the top screen is the same place: it is replaced"
        case .previousPlace: "the screen below is the same place: it comes back"
        case .advances: "the place is new and the action is advance: it is pushed"
        case .leftModal: "a modal was just left: it is pushed, whatever the action"
        case .keepsHeight: "the place is new and the action is not advance: the top screen is replaced"
        case .rootStays: "the stack shows its first screen, which stays"
        case .noModal: "no modal is up"
        case .notDismissible: "the modal is full screen, or its top screen has the gesture off"
        case .popped: "the path configuration says pop"
        case .notPresented: "the path configuration says none"
        case .modalResult: "it is not for the modal: that is dismissed, and the screen below gets the URL"
        case .modalReplacesRoot: "a modal cannot replace the root: on Android, a NavigatorException ends the app"
        case .startLocation: "the app always shows its start location"
        case .opensElsewhere: "a route decision handler opens it outside the app"
        case .noRoute: "no route decision handler matches it, so nothing opens it"
        case .home: "it is the app's root: a screen is popped, and the one below loads again"
        case .noDestination: "no fragment is registered for its uri, nor for a fallback_uri: nothing is shown"
        case .fallbackDestination: "no fragment is registered for its uri: that of its fallback_uri is shown"
        case .startDestinationMissing:
            "no fragment is registered for the start location's uri: on a phone, that ends the app"
        case .onlyDestination: "it is the only destination on the back stack, which stays on the screen"
        case .noResultDestination: "no screen below gets a modal's result: it is in the context modal, too, or a sheet"
        case .startedBefore: "the app has already shown a screen"
        }
    }
}
