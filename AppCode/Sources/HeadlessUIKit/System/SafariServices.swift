public import HeadlessViews

/// A browser within the app. Its page is another site's, so that nothing is loaded; `url` says what it shows.
@preconcurrency @MainActor open class SFSafariViewController: UIViewController {
    public enum DismissButtonStyle: Int, Sendable { case done, close, cancel }

    open class Configuration: NSObject {
        open var entersReaderIfAvailable = false
        open var barCollapsingEnabled = true
    }

    public let url: URL
    public let configuration: Configuration
    open weak var delegate: (any SFSafariViewControllerDelegate)?
    open var preferredControlTintColor: UIColor?
    open var preferredBarTintColor: UIColor?
    open var dismissButtonStyle = DismissButtonStyle.done

    public init(url: URL, configuration: Configuration = Configuration()) {
        self.url = url
        self.configuration = configuration
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) { nil }

    /// Acts as if the user had tapped Done. (Not in SafariServices.)
    public func tapDone() {
        presentingViewController?.dismiss(animated: true)
        delegate?.safariViewControllerDidFinish(self)
    }
}

@preconcurrency @MainActor public protocol SFSafariViewControllerDelegate: NSObjectProtocol {
    func safariViewControllerDidFinish(_ controller: SFSafariViewController)
}

extension SFSafariViewControllerDelegate {
    public func safariViewControllerDidFinish(_ controller: SFSafariViewController) {}
}
