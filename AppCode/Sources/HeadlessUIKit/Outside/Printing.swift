public import Foundation
public import HeadlessViews

/// Makes pages of a view for a printer.
@preconcurrency @MainActor open class UIPrintFormatter: NSObject {
    open var startPage = 0
    open var pageCount: Int { 1 }
}

open class UIViewPrintFormatter: UIPrintFormatter {
    public let view: UIView
    init(_ view: UIView) { self.view = view }
}

open class UIMarkupTextPrintFormatter: UIPrintFormatter {
    open var markupText: String?
    public init(markupText: String) { self.markupText = markupText }
}

@preconcurrency @MainActor open class UIPrintPageRenderer: NSObject {
    open func addPrintFormatter(_ formatter: UIPrintFormatter, startingAtPageAt pageIndex: Int) {}
    open var numberOfPages: Int { 1 }
}

@preconcurrency @MainActor open class UIPrintInfo: NSObject {
    public enum OutputType: Int, Sendable { case general, photo, grayscale, photoGrayscale }
    public enum Orientation: Int, Sendable { case portrait, landscape }
    public enum Duplex: Int, Sendable { case none, longEdge, shortEdge }

    open var jobName = ""
    open var outputType = OutputType.general
    open var orientation = Orientation.portrait
    open var duplex = Duplex.none
    public init(dictionary: [AnyHashable: Any]?) {}
    open class func printInfo() -> UIPrintInfo { UIPrintInfo(dictionary: nil) }
}

/// Prints nothing: there is no printer here, which is said once, and the user has cancelled.
@preconcurrency @MainActor open class UIPrintInteractionController: NSObject {
    public typealias CompletionHandler = (UIPrintInteractionController, Bool, (any Error)?) -> Void

    private static let one = UIPrintInteractionController()
    open class var shared: UIPrintInteractionController { one }
    open class var isPrintingAvailable: Bool { false }
    open class func canPrint(_ url: URL) -> Bool { false }
    open class func canPrint(_ data: Data) -> Bool { false }

    open var printInfo: UIPrintInfo?
    open var printFormatter: UIPrintFormatter?
    open var printPageRenderer: UIPrintPageRenderer?
    open var printingItem: Any?
    open var printingItems: [Any]?
    open var showsNumberOfCopies = true
    open var showsPaperSelectionForLoadedPapers = false

    @discardableResult
    open func present(animated: Bool, completionHandler: CompletionHandler? = nil) -> Bool {
        Outside.report(
            "UIPrintInteractionController",
            "there is no printer here, so that '\(printInfo?.jobName ?? "")' is not printed.")
        if let completionHandler { Turns.next { completionHandler(self, false, nil) } }
        return false
    }

    @discardableResult
    open func present(
        from rect: CGRect, in view: UIView, animated: Bool, completionHandler: CompletionHandler? = nil
    ) -> Bool { present(animated: animated, completionHandler: completionHandler) }

    @discardableResult
    open func present(
        from item: UIBarButtonItem, animated: Bool, completionHandler: CompletionHandler? = nil
    ) -> Bool { present(animated: animated, completionHandler: completionHandler) }

    open func dismiss(animated: Bool) {}
}

extension UIView {
    public func viewPrintFormatter() -> UIViewPrintFormatter { UIViewPrintFormatter(self) }
}
