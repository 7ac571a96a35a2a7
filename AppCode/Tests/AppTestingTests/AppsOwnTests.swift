import Foundation
import Testing
import UIKit

/// Tests of apps import these three modules. That this file compiles is what it shows: the compiler adds an import of
/// `_Testing_UIKit`.
@MainActor @Suite struct AppsOwnTests {
    @Test func controllerOfATestHasItsTitle() {
        let controller = UIViewController()
        controller.title = "Posts"
        #expect(controller.navigationItem.title == "Posts")
    }
}
