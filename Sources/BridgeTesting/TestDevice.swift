package import BridgeBrowsers
package import PathConfiguration

/// The phone or tablet that a browser which bridged drives imitates in all its windows. A page with the script tag has the
/// size of its browser's window.
public enum TestDevice: Sendable, Equatable {
    /// An iPhone 16 or a Pixel 9, by the platform of the emulated app. A test without one gets a desktop browser.
    case usual
    /// A desktop browser.
    case none
    /// The device of that name, such as `iPhone SE`.
    case named(String)

    /// - Parameter platform: that of the emulated app; nil if there is none.
    /// - Throws: an error that lists the devices, if none has the name.
    package func device(on platform: Platform?) throws -> Device? {
        switch self {
        case .none: return nil
        case .usual: return platform.map { $0 == .android ? .pixel : .iPhone }
        case .named(let name):
            guard let device = Device(named: name) else {
                let names = Device.all.map(\.name).joined(separator: ", ")
                throw BrowserError("There is no device '\(name)'. The devices are: \(names).")
            }
            return device
        }
    }
}
