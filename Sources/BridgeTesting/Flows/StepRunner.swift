import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import EmulatedApp

/// Runs one step.
@MainActor struct StepRunner {
    let app: BridgedApp
    let timeout: Duration?

    func run(_ action: Flow.Action) async throws {
        switch action {
        case .open(let url, let readiness): try await app.open(url, until: readiness, within: timeout)
        case .evaluate(let script, nil): try await app.run(script, within: timeout)
        case .evaluate(let script, let expected?):
            let value = try await app.evaluate(script, as: ScriptValue.self, within: timeout)
            guard value == expected else { throw app.failure("\(expected.json)", "\(value)") }
        case .expectMessage(let pattern): try await expect(pattern)
        case .expectNoMessage(let pattern):
            try await pattern.expectNone(in: app, for: timeout ?? .milliseconds(500))
        case .fault(let fault):
            try app.add(fault)
            // A script that runs in the page comes after the fault.
            if (try? app.page()) != nil { try await app.run("undefined") }
        case .expectRequests(let requests): try await requests.check(in: app, within: timeout)
        case .expectNoProblem(let code): try await app.expectNoProblem(code, for: timeout ?? .milliseconds(500))
        case .stub(let stub): try await add(stub)
        case .stubComponent(let component):
            guard let emulated = app.emulatedApp else {
                throw app.failure(
                    "an emulated app, whose components can be stubbed", "the app's own code has its components")
            }
            do { try emulated.stub(component) } catch { throw app.failure("a component to stub", error.description) }
        case .post(let handler, let body, let reply): try await post(handler, body, reply)
        case .act(let action): try await app.perform(action, within: timeout)
        case .expectPage(let expectation): try await app.expect(expectation, within: timeout)
        case .expectNative(let expectation): try await app.expect(expectation, within: timeout)
        case .wait(let duration): try await Task.sleep(for: duration)
        case .waitUntil(let expression): try await app.wait(until: expression, within: timeout)
        case .perform(let name, let arguments, let waits): try await perform(name, arguments, waits)
        case .expectState(let state): try await expectState(state)
        }
    }

    private func add(_ stub: DeclaredStub) async throws {
        let dialog = Dialog.Kind(handler: stub.handler)
        if let dialog, dialog.needsDrivenBrowser, !app.isDriven {
            throw app.failure(
                "a browser that asks \(stub.handler)",
                "with the script tag nobody does: run the test in a browser that bridged drives, \(app.form.driving)")
        }
        app.server.stub(
            stub.handler, webView: stub.webView, match: stub.match, reply: stub.reply, delay: stub.delay,
            calls: stub.calls)
        // If a page that the stub is for is attached, wait until it has the new handler. Later pages have it from the start.
        guard let page = try? app.page(), stub.webView == nil || page.webView == stub.webView else { return }
        // Dialogs are no handlers. A script that runs in the page comes after the stub.
        guard dialog == nil else { return try await app.run("undefined") }
        try await app.wait(
            until: JavaScriptCall("(name => window.webkit?.messageHandlers[name] !== undefined)", stub.handler).source)
    }

    /// Does what the app's user does, and waits for visits unless the step says not to.
    private func perform(_ name: String, _ arguments: Action.Arguments, _ waits: Bool) async throws {
        guard let controlled = app.app else { throw app.failure("an app that can do \(name)", "there is none") }
        do {
            let visitTimeout = waits ? timeout ?? .seconds(30) : nil
            try await app.server.perform(name, arguments, in: controlled, visitsEndWithin: visitTimeout)
        } catch {
            throw app.failure("\(name) to succeed", "\(error)")
        }
    }

    private func expect(_ pattern: Flow.MessagePattern) async throws {
        do {
            _ = try await pattern.next(in: app, within: timeout)
        } catch let failure as BridgedAppFailure where failure.isTimeOut {
            let messages = app.server.traffic.query(TrafficFilter([.init(.kind, "message")]), limit: .max).records
            let missed = MissedMessage(pattern: pattern, came: messages.compactMap { .init($0.json) })
            throw app.failure(failure.expected, missed.text + undefinedHandlers)
        }
    }

    /// What the page's errors say about handlers that are not there.
    private var undefinedHandlers: String {
        let filter = TrafficFilter([.init(.kind, "problem"), .init(.reason, "handlerUndefined")])
        let problems = app.server.traffic.query(filter, limit: .max).records.suffix(3)
        return problems.map { "; record \($0.number): \($0.json["text"]?.string ?? "")" }.joined()
    }

    /// Posts a body to a handler, as the page would.
    nonisolated static let postScript = """
        const found = window.webkit?.messageHandlers[handler]
        if (found) return await found.postMessage(body)
        if (window[handler]?.postMessage) return window[handler].postMessage(JSON.stringify(body)) // Android
        throw new Error(`webkit.messageHandlers.${handler} is undefined`)
        """

    private func post(_ handler: String, _ body: ScriptValue, _ expected: Flow.ExpectedReply) async throws {
        let arguments = ScriptValue(["handler": .string(handler), "body": JSONValue(body.json)])
        let deadline = ContinuousClock.now + (timeout ?? app.timeout)
        let page = try await app.page(before: deadline)
        let left = max(.milliseconds(1), deadline - ContinuousClock.now)
        let result = await withCheckedContinuation { continuation in
            ToolScripts.$areRunning.withValue(true) {
                page.callAsync(StepRunner.postScript, arguments: arguments, timeout: left) {
                    continuation.resume(returning: $0)
                }
            }
        }
        switch (result, expected) {
        case (.success, .anything): return
        case (.success(let value), .value(let expected)) where value == expected: return
        case (.failure(let error), .rejection(let text)) where "\(error)".contains(text): return
        case (.success(let value), _): throw app.failure("\(expected)", "the reply \(value)")
        case (.failure(let error), _):
            throw app.failure("\(expected)", "\(error)\(handlers(insteadOf: handler, in: page))")
        }
    }

    /// The handlers and interface objects that a page has, if it has none of this name.
    private func handlers(insteadOf handler: String, in page: Page) -> String {
        let names = app.server.receiverNames(of: page)
        guard !names.contains(handler) else { return "" }
        let nearest = EditDistance.nearest(to: handler, in: names).map { "did you mean \($0)? " } ?? ""
        return
            "; \(nearest)\(names.isEmpty ? "the page has no handlers" : "the page has \(names.joined(separator: ", "))")"
    }

    private func expectState(_ expected: ScriptValue) async throws {
        let timeout = timeout ?? app.timeout
        guard let controlled = app.app else { throw app.failure("an app with a state", "there is no emulated app") }
        guard let found = await controlled.wait(for: expected, within: timeout) else { return }
        throw app.failure("the app to show \(expected.json) within \(timeout)", found.text)
    }
}

extension Flow.ExpectedReply: CustomStringConvertible {
    public var description: String {
        switch self {
        case .anything: "a reply"
        case .value(let value): "the reply \(value.json)"
        case .rejection(let text): "a rejection with \"\(text)\" in it"
        }
    }
}
