import Foundation
public import HeadlessViews

/// A transition from one view controller of a storyboard to another.
@preconcurrency @MainActor open class UIStoryboardSegue: NSObject {
    /// What a segue of a storyboard is made of. (Not in UIKit.)
    public struct Parts {
        let identifier: String?
        let source: UIViewController
        let destination: UIViewController
        let perform: () -> Void
    }

    public let identifier: String?
    open private(set) var source: UIViewController
    open private(set) var destination: UIViewController
    private var body: () -> Void = {}

    public init(identifier: String?, source: UIViewController, destination: UIViewController) {
        (self.identifier, self.source, self.destination) = (identifier, source, destination)
    }

    public convenience init(
        identifier: String?, source: UIViewController, destination: UIViewController,
        performHandler: @escaping () -> Void
    ) {
        self.init(identifier: identifier, source: source, destination: destination)
        body = performHandler
    }

    /// Makes a segue of the app's class, which only the storyboard names. Classes inherit this if they override the first
    /// initialiser or none. (Not in UIKit.)
    public required convenience init(_ parts: Parts) {
        self.init(identifier: parts.identifier, source: parts.source, destination: parts.destination)
        body = parts.perform
    }

    open func perform() { body() }
}

extension UIViewController {
    /// Performs the segue of the storyboard that has made this controller. UIKit raises an exception for an identifier that
    /// it lacks; here a warning comes.
    func performStoryboardSegue(_ identifier: String, sender: Any?) {
        guard let scene, let segue = scene.segue(identifier) else {
            return Transitions.shared.warn("\(name) has no segue with identifier '\(identifier)'. Nothing happens.")
        }
        scene.perform(segue, from: self, sender: sender)
    }
}
