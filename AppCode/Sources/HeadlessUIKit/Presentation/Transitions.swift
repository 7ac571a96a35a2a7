@_spi(UIKit) import HeadlessViews

/// Carries out changes of what is on screen, and tells the view controllers that appear and disappear.
///
/// As on iOS, `pushViewController` and `present` return before the transition. In a later turn of the main queue,
/// `begin` compares what is visible with what was, and calls `viewWillDisappear` and `viewWillAppear`. One turn later,
/// `finish` calls `viewDidAppear` and `viewDidDisappear`. Transitions take no more time than that.
@MainActor public final class Transitions {
    public static let shared = Transitions()

    /// The windows on screen, the front one last.
    public internal(set) var windows: [UIWindow] = []
    /// Called when everything that was asked for is on screen.
    public var onSettled: (() -> Void)?
    /// What UIKit would warn about, or raise an exception for. The newest are last.
    public private(set) var warnings: [String] = []
    /// Called with each warning.
    public var onWarning: ((String) -> Void)?

    private struct Change {
        var animated = false
        var willBegin: [() -> Void] = []
        var didFinish: [() -> Void] = []
    }

    private var visible: [UIViewController] = []
    private var waiting: Change?
    private var isRunning = false
    private var isScheduled = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    private init() { UIView.controllersViewMoved = { [weak self] in self?.setNeedsUpdate() } }

    /// Whether nothing remains to be carried out.
    public var isSettled: Bool { waiting == nil && !isRunning }

    /// Returns when everything that has been asked for is on screen.
    public func settled() async {
        guard !isSettled else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Asks for a comparison of what is visible with what was. Name the closures: Swift takes a trailing one for `willBegin`.
    /// - Parameter willBegin: runs before the controllers' `viewWillAppear`.
    /// - Parameter didFinish: runs after their `viewDidAppear`.
    func setNeedsUpdate(
        animated: Bool = false, willBegin: (() -> Void)? = nil, didFinish: (() -> Void)? = nil
    ) {
        var change = waiting ?? Change()
        change.animated = change.animated || animated
        if let willBegin { change.willBegin.append(willBegin) }
        if let didFinish { change.didFinish.append(didFinish) }
        waiting = change
        schedule()
    }

    /// Runs `body` in a later turn, before what is on screen is looked at again.
    package func beforeNext(_ body: @escaping @MainActor () -> Void) { setNeedsUpdate(willBegin: body) }

    /// Runs `body` when what was asked for is on screen.
    package func afterNext(_ body: @escaping @MainActor () -> Void) { setNeedsUpdate(didFinish: body) }

    package func warnAbout(_ text: String) { warn(text) }

    private func schedule() {
        guard !isScheduled, !isRunning else { return }
        isScheduled = true
        Turns.next { [weak self] in
            self?.isScheduled = false
            self?.begin()
        }
    }

    private func begin() {
        guard let change = waiting else { return }
        waiting = nil
        isRunning = true
        for body in change.willBegin { body() }
        let old = visible
        visible = VisibleControllers(windows).list
        let disappearing = old.filter { controller in !visible.contains { $0 === controller } }
        let appearing = visible.filter { controller in !old.contains { $0 === controller } }
        for controller in disappearing { controller.beginDisappearing(animated: change.animated) }
        for controller in appearing { controller.beginAppearing(animated: change.animated) }
        Turns.next { [weak self] in self?.finish(change, appearing: appearing, disappearing: disappearing) }
    }

    /// In a stack and in tabs, the disappearing controllers are notified first; at a presentation, the appearing ones.
    private func finish(_ change: Change, appearing: [UIViewController], disappearing: [UIViewController]) {
        let covered = disappearing.filter(\.isHiddenByPresentation)
        for controller in disappearing where !covered.contains(where: { $0 === controller }) {
            controller.finishDisappearing(animated: change.animated)
        }
        for controller in appearing { controller.finishAppearing(animated: change.animated) }
        for controller in covered { controller.finishDisappearing(animated: change.animated) }
        for body in change.didFinish { body() }
        isRunning = false
        guard waiting == nil else { return schedule() }
        onSettled?()
        let resumed = waiters
        waiters = []
        for waiter in resumed { waiter.resume() }
    }

    func warn(_ text: String) {
        warnings.append(text)
        if warnings.count > 100 { warnings.removeFirst() }
        onWarning?(text)
    }
}

/// The view controllers that a user sees, containers before their children, a presenter before what it presents.
@MainActor struct VisibleControllers {
    private(set) var list: [UIViewController] = []

    init(_ windows: [UIWindow]) {
        for window in windows where !window.isHidden {
            var controller = window.rootViewController
            while let shown = controller {
                let presented = shown.presented
                // During a dismissal the presenter is visible again.
                let isCovered = presented.map { $0.modalPresentationStyle.coversPresenter && !$0.isBeingDismissed }
                if isCovered != true { add(shown) }
                controller = presented?.isBeingDismissed == true ? nil : presented
            }
        }
    }

    private mutating func add(_ controller: UIViewController) {
        list.append(controller)
        for child in controller.visibleChildren { add(child) }
    }
}
