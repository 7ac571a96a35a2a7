import HeadlessUIKit
import Testing

/// All tests of UIKit, one after the other, because there is one screen.
@MainActor @Suite(.serialized) enum ScreenTests {}

/// A controller that writes down what UIKit tells it, such as `a willAppear`.
@MainActor final class RecordingController: UIViewController {
    static var calls: [String] = []
    private let label: String

    init(_ label: String) {
        self.label = label
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    private func note(_ call: String) { RecordingController.calls.append("\(label) \(call)") }

    override func viewDidLoad() { note("didLoad") }
    override func viewWillAppear(_ animated: Bool) { note("willAppear") }
    override func viewIsAppearing(_ animated: Bool) {
        note("isAppearing in \(view.window == nil ? "no" : "its") window")
    }
    override func viewDidAppear(_ animated: Bool) { note("didAppear") }
    override func viewWillDisappear(_ animated: Bool) { note("willDisappear") }
    override func viewDidDisappear(_ animated: Bool) { note("didDisappear") }
    override func willMove(toParent parent: UIViewController?) {
        note("willMove to \(parent == nil ? "none" : "parent")")
    }
    override func didMove(toParent parent: UIViewController?) {
        note("didMove to \(parent == nil ? "none" : "parent")")
    }
}

/// A window with a root controller, for one test at a time.
@MainActor struct Screen {
    let window = UIWindow(frame: UIScreen.main.bounds)

    /// Shows the controller, runs `body`, and takes the window away.
    static func run(_ root: UIViewController, _ body: @MainActor (Screen) async throws -> Void) async throws {
        let screen = Screen()
        screen.window.rootViewController = root
        screen.window.makeKeyAndVisible()
        await Transitions.shared.settled()
        RecordingController.calls = []
        defer { screen.window.close() }
        try await body(screen)
    }

    /// The calls since the last look, after everything has settled.
    func calls() async -> [String] {
        await Transitions.shared.settled()
        defer { RecordingController.calls = [] }
        return RecordingController.calls
    }
}
