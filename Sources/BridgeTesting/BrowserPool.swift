package import BridgeBrowsers
package import BridgeProtocol
import Foundation

/// Browsers that tests use one after the other. Each test gets one that has forgotten all that earlier tests have left in it.
/// On the main actor.
///
/// While a test uses a browser, another one gets ready for the next test.
@MainActor package final class BrowserPool {
    private struct Kind: Equatable {
        let engine: BrowserEngine
        /// What the browser imitates; nil for a desktop browser.
        let device: Device?
    }

    /// A browser that starts, or forgets the test before.
    @MainActor private final class Waiting {
        let kind: Kind
        /// The browser when it is ready; nil if it does not succeed.
        let browser: Task<(any DrivenBrowser)?, Never>
        /// The browser, if it is ready already.
        var readyBrowser: (any DrivenBrowser)?

        init(_ kind: Kind, _ browser: Task<(any DrivenBrowser)?, Never>) { (self.kind, self.browser) = (kind, browser) }
    }

    /// The oldest first.
    private var waiting: [Waiting] = []
    private var isClosed = false
    /// Gets a sentence about each browser that could not be used again, for people.
    package var onProblem: (String) -> Void = { _ in }
    /// How long a browser may take to forget a test: as long as one may take to start. Then it is closed, and the next test
    /// gets another one.
    private static let limit = LaunchOptions().timeout
    /// How long a test waits for a browser that is not ready yet.
    private static let patience = Duration.seconds(5)
    /// Whether each kind gets a spare browser, and which have one.
    private let hasSpares: Bool
    private var kindsWithSpare: [Kind] = []
    /// How many browsers of a kind may wait. More than the tests that can run at once would only take memory.
    private static let mostOfAKind = ProcessInfo.processInfo.activeProcessorCount + 1

    /// The browsers of the tests that call `withBridgedApp(driving:)`. They end with the process.
    package static let shared = BrowserPool(hasSpares: false)

    /// - Parameter hasSpares: whether there are so many tests that one browser more pays than tests that run at once. It gets
    ///   ready while they run.
    package init(hasSpares: Bool) { self.hasSpares = hasSpares }

    package func take(_ engine: BrowserEngine, _ device: Device?) async throws -> any DrivenBrowser {
        let kind = Kind(engine: engine, device: device)
        while let next = next(of: kind) {
            guard let browser = try await browser(of: next) else { break }
            if let browser, !browser.isClosed { return browser }
        }
        return try await launch(kind)
    }

    /// Waits until a browser is ready, but no longer than a new one would take to start. Then it stays for a later test.
    /// - Returns: nil if the time is over; a value that is nil if the browser does not succeed.
    private func browser(of next: Waiting) async throws -> (any DrivenBrowser)?? {
        var isOver = true
        defer { if isOver { waiting.append(next) } }
        let browser = try await result(within: BrowserPool.patience) { await next.browser.value }
        isOver = browser == nil
        return browser
    }

    private func launch(_ kind: Kind) async throws -> any DrivenBrowser {
        var options = LaunchOptions()
        (options.device, options.isRenewable) = (kind.device, true)
        return try await kind.engine.launch(options)
    }

    /// Removes the browser that is ready, or else the one that will be first.
    private func next(of kind: Kind) -> Waiting? {
        let own = waiting.indices.filter { waiting[$0].kind == kind }
        guard let place = own.first(where: { waiting[$0].readyBrowser != nil }) ?? own.first else { return nil }
        return waiting.remove(at: place)
    }

    /// Takes back a browser that a test has used.
    package func putBack(_ browser: any DrivenBrowser, _ device: Device?) {
        guard !browser.isClosed else { return }
        let kind = Kind(engine: browser.engine, device: device)
        guard waiting.count(where: { $0.kind == kind }) < BrowserPool.mostOfAKind else { return browser.close() }
        wait(for: kind) { [weak self] in
            do {
                if let renewed = try await result(within: BrowserPool.limit, of: browser.renewed) { return renewed }
                self?.onProblem(
                    "\(kind.engine) did not forget a test within \(BrowserPool.limit). The next gets a new one.")
            } catch {
                self?.onProblem("\(kind.engine) did not forget a test: \(error) The next gets a new one.")
            }
            browser.close()
            return nil
        }
        guard hasSpares, !kindsWithSpare.contains(kind) else { return }
        kindsWithSpare.append(kind)
        wait(for: kind) { [weak self] in try? await self?.launch(kind) }
    }

    private func wait(for kind: Kind, _ prepare: @escaping @MainActor () async -> (any DrivenBrowser)?) {
        let next = Waiting(kind, Task { await prepare() })
        waiting.append(next)
        Task {
            next.readyBrowser = await next.browser.value
            if isClosed { next.readyBrowser?.close() }
        }
    }

    /// Ends the browsers that no test uses; those that are not ready yet as soon as they are, or with this process.
    package func close() {
        isClosed = true
        for next in waiting { next.readyBrowser?.close() }
        waiting = []
    }
}
