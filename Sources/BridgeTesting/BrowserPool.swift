package import BridgeBrowsers
package import BridgeProtocol

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

    /// A browser that starts, or forgets the test before. The value is nil if it does not succeed.
    private struct Waiting {
        let number: Int
        let kind: Kind
        let browser: Task<(any DrivenBrowser)?, Never>
    }

    /// The oldest first.
    private var waiting: [Waiting] = []
    /// Those of ``waiting`` that are ready, by their numbers.
    private var ready: [Int: any DrivenBrowser] = [:]
    private var isClosed = false
    /// How long a browser may take to forget a test. Then it is closed, and the next test gets another one.
    private static let limit = Duration.seconds(20)
    private var count = 0
    /// Of which kinds one more browser than there are tests at once has been started.
    private var startedAhead: [Kind] = []
    private let startsAhead: Bool

    /// - Parameter startsAhead: whether there are so many tests that another browser pays, which gets ready while a test runs.
    package init(startsAhead: Bool) { self.startsAhead = startsAhead }

    package func take(_ engine: BrowserEngine, _ device: Device?) async throws -> any DrivenBrowser {
        let kind = Kind(engine: engine, device: device)
        while let next = next(of: kind) {
            let browser = await next.browser.value
            ready[next.number] = nil
            if let browser, !browser.isClosed { return browser }
        }
        return try await launch(kind)
    }

    private func launch(_ kind: Kind) async throws -> any DrivenBrowser {
        var options = LaunchOptions()
        (options.device, options.isRenewable) = (kind.device, true)
        return try await kind.engine.launch(options)
    }

    /// Removes the browser that is ready, or else the one that will be first.
    private func next(of kind: Kind) -> Waiting? {
        let own = waiting.indices.filter { waiting[$0].kind == kind }
        guard let place = own.first(where: { ready[waiting[$0].number] != nil }) ?? own.first else { return nil }
        return waiting.remove(at: place)
    }

    /// Takes back a browser that a test has used.
    package func putBack(_ browser: any DrivenBrowser, _ device: Device?) {
        guard !browser.isClosed else { return }
        let kind = Kind(engine: browser.engine, device: device)
        wait(for: kind) {
            let renewed = try? await result(within: BrowserPool.limit) { try await browser.renewed() }
            if renewed == nil { browser.close() }
            return renewed
        }
        guard startsAhead, !startedAhead.contains(kind) else { return }
        startedAhead.append(kind)
        wait(for: kind) { [weak self] in try? await self?.launch(kind) }
    }

    private func wait(for kind: Kind, _ prepare: @escaping @MainActor () async -> (any DrivenBrowser)?) {
        count += 1
        let task = Task { [count] in
            let browser = await prepare()
            if isClosed { browser?.close() }
            ready[count] = browser
            return browser
        }
        waiting.append(Waiting(number: count, kind: kind, browser: task))
    }

    /// Ends the browsers that no test uses; those that are not ready yet as soon as they are, or with this process.
    package func close() {
        isClosed = true
        for (_, browser) in ready.sorted(by: { $0.key < $1.key }) { browser.close() }
        (waiting, ready) = ([], [:])
    }
}
