/// What components find on the phone: its camera, where it is, what its user allows. A value.
struct Device: Sendable, Equatable {
    enum Permission: String, Sendable, CaseIterable { case camera, location, notifications }

    /// Closes as the app goes into the background.
    struct Lock: Sendable, Equatable {
        var isEnabled = false
        private(set) var isLocked = false
        /// Whether the device knows who looks at it.
        var knowsFace = true

        mutating func close() { isLocked = isEnabled }

        /// The app comes back, and the device looks.
        mutating func look() { if knowsFace { isLocked = false } }

        mutating func open() {
            knowsFace = true
            look()
        }
    }

    /// What the camera sees; nil for no code.
    var barcode: String? = "4006381333931"
    /// What the camera makes of paper: a JPEG in Base64.
    var document = Device.greyDot
    /// In degrees: `latitude`, `longitude`.
    var location = ["latitude": 52.52, "longitude": 13.405]
    var theme: String?
    var lock = Lock()
    private var denied: Set<Permission> = []

    /// One pixel.
    private static let greyDot =
        "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAB"
        + "AAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"

    func allows(_ permission: Permission) -> Bool { !denied.contains(permission) }

    mutating func allow(_ permission: Permission, _ isAllowed: Bool) {
        if isAllowed { denied.remove(permission) } else { denied.insert(permission) }
    }
}

extension EmulatedApp {
    func allows(_ permission: Device.Permission) -> Bool {
        permission == .notifications ? !pushTokens.isDenied : device.allows(permission)
    }

    func allow(_ permission: Device.Permission, _ isAllowed: Bool) {
        guard permission == .notifications else { return device.allow(permission, isAllowed) }
        pushTokens.isDenied = !isAllowed
        if isAllowed, visibleTokenComponent?.isWaiting == true { visibleTokenComponent?.giveToken() }
    }

    var visibleTokenComponent: NotificationTokenComponent? { visibleWebScreen?.bridgeDelegate.component() }
}
