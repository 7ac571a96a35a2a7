/// A file for each module that was written for iOS: what Foundation has there and lacks on Linux.
///
/// It is part of the module, because a declaration of the module itself hides that of Foundation.
let foundationOnLinux = """
    import Foundation
    import UIKit

    typealias NSString = String
    typealias JSONSerialization = AppleJSONSerialization

    let NSUTF8StringEncoding = String.Encoding.utf8.rawValue

    /// Those of NSString have an encoding as a number.
    extension String {
        init(string: String) { self = string }

        init?(data: Data, encoding: UInt) { self.init(data: data, encoding: Encoding(rawValue: encoding)) }

        init(contentsOfFile path: String, encoding: UInt) throws {
            try self.init(contentsOfFile: path, encoding: Encoding(rawValue: encoding))
        }

        init(contentsOf url: URL, encoding: UInt) throws {
            try self.init(contentsOf: url, encoding: Encoding(rawValue: encoding))
        }

        func data(using encoding: UInt) -> Data? { data(using: Encoding(rawValue: encoding)) }
    }

    extension NSURL {
        static func fileURL(withPath path: String) -> URL { URL(fileURLWithPath: path) }
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
