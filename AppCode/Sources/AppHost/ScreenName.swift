import BridgeWebKit
import Foundation
import HeadlessUIKit

/// What a screen is called in the stacks of the traffic and of `app.state`.
@MainActor enum ScreenName {
    /// The screen's URL, or `native:` and its controller's type if it has none.
    static func name(of controller: UIViewController) -> String {
        url(of: controller)?.absoluteString ?? "native:\(controller.shownName)"
    }

    /// The URL that a screen of Hotwire Native, Turbo or Strada was made for, or else that of its web view.
    ///
    /// Only the front screen has the web view, which several screens share. Each knows its own URL.
    static func url(of controller: UIViewController) -> URL? {
        let url =
            visitableURL(of: controller)
            // A screen of SwiftUI has the framework's controller as its child.
            ?? controller.children.lazy.compactMap(visitableURL).first
            ?? ScreenState.webView(in: controller.viewIfLoaded)?.url
            ?? (controller as? SFSafariViewController)?.url
        // Pages know `http://localhost:3000` as `http://localhost:3000/`.
        return url?.path.isEmpty == true && url?.host != nil ? url?.appendingPathComponent("") : url
    }

    /// The stored property that the frameworks' `VisitableViewController` has: `initialVisitableURL` since Hotwire Native
    /// 1.0, `visitableURL` in turbo-ios.
    private static func visitableURL(of controller: UIViewController) -> URL? {
        var mirror: Mirror? = Mirror(reflecting: controller)
        while let current = mirror {
            for child in current.children where child.label == "initialVisitableURL" || child.label == "visitableURL" {
                if let url = child.value as? URL { return url }
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
