public import Foundation

/// Key-value coding, which apps use for settings that have no public name. Linux has no Objective-C to find them.
@MainActor extension NSObject {
    @preconcurrency public func setValue(_ value: Any?, forKey key: String) {
        Transitions.shared.warn(
            "\(type(of: self)).setValue(_:forKey: \"\(key)\") has no effect: there is no Objective-C here.")
    }
}
