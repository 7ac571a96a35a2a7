/// What is known of the device and the app that show a page, from its user agent.
public struct DeviceInfo: Sendable, Equatable {
    /// Such as `iPhone` or `Pixel 8`.
    public let model: String?
    /// Such as `iOS 18.5` or `Android 15`.
    public let system: String?
    /// Such as `Hotwire Native iOS`.
    public let framework: String?
    /// The daemon's name of the device, such as `d1`; nil outside of a run of the daemon.
    public var id: String?

    public init(model: String? = nil, system: String? = nil, framework: String? = nil) {
        (self.model, self.system, self.framework) = (model, system, framework)
    }

    /// The system, and the model after a language that old releases have.
    private static func androidPattern() -> Regex<(Substring, Substring, Substring?)> {
        /\(Linux; (Android [\d.]+)(?:; (?:[a-z]{2}-[A-Za-z]{2}; )?([^;)]+?)(?: Build\/[^;)]*)?)?[;)]/
    }

    public init(userAgent: String) {
        if let apple = userAgent.firstMatch(of: /\((iPhone|iPad|iPod touch)[^)]*? OS (\d+(?:_\d+)*)/) {
            model = String(apple.1)
            system = "iOS \(apple.2.replacing("_", with: "."))"
        } else if let android = userAgent.firstMatch(of: DeviceInfo.androidPattern()) {
            system = String(android.1)
            // Browsers that keep the model secret say K.
            model = android.2.map(String.init).flatMap { $0 == "K" ? nil : $0 }
        } else {
            let place = userAgent.firstMatch(of: /\((?:X11; )?([^;)]+)/)
            (model, system) = (nil, place.map { String($0.1) })
        }
        framework =
            userAgent.firstMatch(of: /(Hotwire|Turbo) Native (?:iOS|Android)(?:\/[\d.]+)?/).map { String($0.0) }
    }
}

extension DeviceInfo: CustomStringConvertible {
    /// `iPhone, iOS 18.5, Hotwire Native iOS`
    public var description: String {
        let parts = [model, system, framework].compactMap(\.self)
        return parts.isEmpty ? "a device" : parts.joined(separator: ", ")
    }
}
