/// A file for each module that was written for iOS: what Foundation has there and lacks on Linux.
///
/// It is part of the module, because a declaration of the module itself hides that of Foundation.
let foundationOnLinux = """
    import Foundation
    import UIKit

    typealias NSString = String
    typealias JSONSerialization = AppleJSONSerialization

    extension String {
        init(string: String) { self = string }
    }

    extension Bundle {
        /// A bundle of resources has no `Info.plist` on Linux, so that its name stands for its identifier.
        var bundleIdentifier: String? {
            object(forInfoDictionaryKey: "CFBundleIdentifier") as? String
                ?? bundleURL.deletingPathExtension().lastPathComponent
        }
    }

    """

/// A file for each module of tests: what XCTest has on Apple's systems and lacks on Linux.
let xctestOnLinux = """
    import XCTest

    extension XCTestCase {
        /// Waits as long as XCTest allows a test to take.
        @available(*, noasync)
        func wait(for expectations: [XCTestExpectation], enforceOrder: Bool = false) {
            wait(for: expectations, timeout: 600, enforceOrder: enforceOrder)
        }

        func fulfillment(of expectations: [XCTestExpectation], enforceOrder: Bool = false) async {
            await fulfillment(of: expectations, timeout: 600, enforceOrder: enforceOrder)
        }
    }

    """
