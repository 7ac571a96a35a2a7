package import BridgeProtocol
package import Foundation

/// A browser that bridged has started and drives. Its windows are web views of a daemon. On the main actor.
@MainActor package protocol DrivenBrowser: AnyObject, Sendable {
    var process: DrivenProcess { get }

    /// Waits until the browser, whose process runs, answers.
    /// - Throws: `BrowserError` if it does not start, or hangs.
    func start() async throws

    /// Opens a window that stands for a web view, and begins to load a page in it.
    /// - Parameter url: nil leaves the window at the empty document that it shows at first.
    func open(_ url: String?, in webView: DrivenWebView) async throws

    /// Closes the window of a web view. Does nothing if it has none.
    func close(_ webView: DrivenWebView)

    /// Closes all windows, and makes the browser forget what their pages and native code have left in it: cookies, storage,
    /// caches, workers, permissions, passwords, the screen that they imitate. The process goes on.
    ///
    /// Call it only if the browser was started with ``LaunchOptions/isRenewable``.
    /// - Returns: the browser to use from now on, whose next window is like the first one of a new process. This object is
    ///   used no more, unless it is that one.
    /// - Throws: `BrowserError` if the browser does not answer, or cannot forget everything.
    func renewed() async throws -> any DrivenBrowser
}

extension DrivenBrowser {
    package var engine: BrowserEngine { process.engine }

    /// The number of the browser's process.
    package var processID: Int32 { process.id }
    /// Whether the browser has ended.
    package var isClosed: Bool { process.isClosed }

    /// Whether the browser has ended because its user closed the last window.
    package var hasClosedWindows: Bool { process.hasClosedWindows }

    /// The folder that is deleted with the browser.
    package var profile: URL { process.profile }

    /// Called once if the browser ends by itself: its user has closed the last window, or it crashed. The text says
    /// which, for people.
    package var onEnd: (@MainActor (String) -> Void)? {
        get { process.onEnd }
        set { process.onEnd = newValue }
    }

    /// Ends the browser, and deletes its profile. A second call does nothing.
    package func close() { process.close() }
}

/// How to start a browser.
package struct LaunchOptions: Sendable {
    /// Whether the browser shows no window.
    package var isHeadless = true
    /// The phone or tablet that all windows imitate, those that open later, too; nil for a desktop browser.
    package var device: Device?
    /// Host names that resolve to this machine, whatever DNS says.
    package var localNames: [String] = []
    /// What the browser sends in place of its own user agent.
    package var userAgent: String?
    /// More arguments for the browser.
    package var arguments: [String] = []
    /// Whether the browser can forget all that its pages have left (``DrivenBrowser/renewed()``).
    package var isRenewable = false
    /// How long the browser may take to start.
    package var timeout = Duration.seconds(60)

    package init() {}
}

/// The screen that all windows of a driven browser imitate, as `page.emulate` has changed it. It is a value type.
struct EmulatedScreen: Sendable, Equatable {
    let device: Device?
    /// Nil for the size of the browser's own windows.
    private(set) var size: PageEmulation.Size?
    /// Nil for the colours that the desktop prefers.
    private(set) var colorScheme: PageEmulation.ColorScheme?

    /// A phone is light until someone changes that, whatever the desktop prefers.
    init(_ device: Device?) {
        self.device = device
        guard let device else { return }
        size = PageEmulation.Size(width: device.width, height: device.height)
        colorScheme = .light
    }

    mutating func change(_ emulation: PageEmulation) {
        size = emulation.size ?? size
        colorScheme = emulation.colorScheme ?? colorScheme
    }
}

/// A phone or tablet as a browser imitates it.
package struct Device: Sendable, Equatable {
    package let name: String
    /// The viewport in CSS pixels.
    package let width: Int
    package let height: Int
    package let scale: Double
    package let userAgent: String

    private static let iOS =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
    private static let iPadOS =
        "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
    private static let android =
        "Mozilla/5.0 (Linux; Android 16; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36"

    /// The usual device on iOS.
    package static let iPhone = Device(name: "iPhone 16", width: 393, height: 852, scale: 3, userAgent: iOS)
    /// The usual device on Android.
    package static let pixel = Device(name: "Pixel 9", width: 412, height: 924, scale: 2.625, userAgent: android)

    /// The devices that can be named, in the order in which help lists them.
    package static let all = [
        iPhone,
        Device(name: "iPhone 16 Pro Max", width: 440, height: 956, scale: 3, userAgent: iOS),
        Device(name: "iPhone SE", width: 375, height: 667, scale: 2, userAgent: iOS),
        Device(name: "iPad", width: 820, height: 1180, scale: 2, userAgent: iPadOS),
        pixel,
    ]

    /// Finds a device by its name, whatever its case.
    package init?(named name: String) {
        guard let device = Device.all.first(where: { $0.name.lowercased() == name.lowercased() }) else { return nil }
        self = device
    }

    private init(name: String, width: Int, height: Int, scale: Double, userAgent: String) {
        self.name = name
        self.width = width
        self.height = height
        self.scale = scale
        self.userAgent = userAgent
    }
}
