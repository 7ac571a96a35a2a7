/// A file for each module that was written for iOS: what Foundation has there and lacks on Linux.
///
/// It is part of the module, because a declaration of the module itself hides that of Foundation.
let foundationOnLinux = """
    import Foundation
    import UIKit

    typealias NSString = String
    typealias JSONSerialization = AppleJSONSerialization

    extension Bundle {
        /// A bundle of resources has no `Info.plist` on Linux, so that its name stands for its identifier.
        var bundleIdentifier: String? {
            object(forInfoDictionaryKey: "CFBundleIdentifier") as? String
                ?? bundleURL.deletingPathExtension().lastPathComponent
        }
    }

    """
