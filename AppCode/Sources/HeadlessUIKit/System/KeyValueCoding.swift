public import Foundation

/// Key-value coding, which apps use for user defaults and for settings that have no public name. Linux has no Objective-C to
/// find the latter.
@MainActor extension NSObject {
    @preconcurrency public func setValue(_ value: Any?, forKey key: String) {
        if let defaults = self as? UserDefaults { return defaults.set(value, forKey: key) }
        Transitions.shared.warn(
            "\(type(of: self)).setValue(_:forKey: \"\(key)\") has no effect: there is no Objective-C here.")
    }
}
