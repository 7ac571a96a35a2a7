public import Foundation

#if !canImport(ObjectiveC)
    /// `UserDefaults` that post `didChangeNotification` after each change, as on Apple's systems. Foundation on Linux posts it
    /// only for whole domains. The values are Foundation's: both classes read and write the same.
    open class AppleUserDefaults: UserDefaults {
        // nonisolated(unsafe): Foundation's class, whose setters this one calls, may be used by any thread.
        nonisolated(unsafe) private static let shared = AppleUserDefaults()

        open override class var standard: AppleUserDefaults { shared }

        /// The setters for numbers, booleans and URLs call this one.
        open override func set(_ value: Any?, forKey defaultName: String) {
            super.set(value, forKey: defaultName)
            noteChange()
        }

        open override func removeObject(forKey defaultName: String) {
            super.removeObject(forKey: defaultName)
            noteChange()
        }

        private func noteChange() {
            NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
        }
    }

    extension UserDefaults {
        /// The standard defaults, which say that they have changed: `prepare-app` writes this for `UserDefaults.standard`.
        public static var appleStandard: UserDefaults { AppleUserDefaults.standard }

        /// Key-value coding reads the same values as `object(forKey:)`, and writes them: see `NSObject.setValue(_:forKey:)`.
        public func value(forKey key: String) -> Any? { object(forKey: key) }
    }
#endif
