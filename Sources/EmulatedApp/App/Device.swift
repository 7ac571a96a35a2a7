/// The emulated phone: what its camera sees, its location, its theme, its lock, and the permissions that its user has
/// given. It is a value type.
struct Device: Sendable, Equatable {
    enum Permission: String, Sendable, CaseIterable { case camera, location, notifications }

    /// The lock of the `biometrics-lock` component. It closes when the app goes into the background.
    struct Lock: Sendable, Equatable {
        var isEnabled = false
        private(set) var isLocked = false
        /// Whether the device recognizes the user's face.
        var knowsFace = true

        mutating func close() { isLocked = isEnabled }

        /// Opens the lock if the device recognizes the face. It tries to when the app comes back to the foreground.
        mutating func recognize() { if knowsFace { isLocked = false } }

        mutating func open() {
            knowsFace = true
            recognize()
        }
    }

    /// The bar code in front of the camera; nil if the camera sees no code.
    var barcode: String? = "4006381333931"
    /// What the NFC tag at the phone has; nil if there is no tag.
    var tag: String? = "Hello, world!"
    /// The picture that the document scanner takes: a JPEG in Base64.
    var document = Device.greyDot
    /// The phone's location: `latitude` and `longitude`, in degrees.
    var location = ["latitude": 52.52, "longitude": 13.405]
    var theme: String?
    var lock = Lock()
    private var denied: Set<Permission> = []

    /// A JPEG of one pixel.
    private static let greyDot =
        "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAB"
        + "AAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"

    func allows(_ permission: Permission) -> Bool { !denied.contains(permission) }

    mutating func allow(_ permission: Permission, _ isAllowed: Bool) {
        if isAllowed { denied.remove(permission) } else { denied.insert(permission) }
    }
}
