import BridgeProtocol
import BridgeServer
public import BridgeTraffic
public import EmulatedApp
import Foundation

/// Runs flows, each with its own daemon and browser.
@MainActor public struct FlowRunner {
    /// Starts the app for one flow in one browser. The framework is nil if there is only one.
    public typealias MakeApp = @MainActor (Flow, TestBrowser, Framework?) async throws -> BridgedApp

    private let makeApp: MakeApp
    private let traces: TraceFolder?
    private let progress = FlowProgress()

    /// The step that runs, for a run that has to end before its flow does.
    public var currentStep: FlowFailure.Place? { progress.step }
    /// The latest records of the flow that runs.
    public var latestRecords: [TrafficRecord] { progress.app?.latestRecords.all ?? [] }

    /// - Parameters:
    ///   - traces: the folder for traces of flows; nil for none.
    public init(traces: TraceFolder? = nil, makeApp: @escaping MakeApp) {
        self.makeApp = makeApp
        self.traces = traces?.mode == .off ? nil : traces
    }

    /// Runs a flow's steps until one fails.
    /// - Parameter binary: the name of the app's build. If it is not nil, the result has what the build lacks.
    public func run(
        _ flow: Flow, in engine: TestBrowser, with framework: Framework? = nil, binary: String? = nil
    ) async -> FlowResult {
        let started = ContinuousClock.now
        var result = FlowResult(flow: flow, engine: engine, framework: framework, failure: nil, duration: .zero)
        result.binary = binary
        do {
            defer { progress.end() }
            let app = try await makeApp(flow, engine, framework)
            progress.app = app
            app.form = .flow
            let history = FlowHistory(app.server)
            let recorder = traces.map { _ in TraceRecorder(app) }
            result.failure = await runSteps(of: flow, app, history, recorder)
            if binary != nil { result.findings = await FlowRunner.findings(of: app) }
            (result.navigations, result.events) = (history.navigations, history.events)
            result.trace = recorder.flatMap { traces?.write($0, of: result) }
            await app.close()
        } catch {
            result.failure = FlowFailure(step: nil, expected: "a daemon and a browser", found: "\(error)", records: [])
        }
        result.duration = ContinuousClock.now - started
        return result
    }

    /// What the server offered so far and the app's build lacks, in the order in which it was found.
    private static func findings(of app: BridgedApp) async -> [String] {
        // What the page has posted before a script ran has been received when its result has.
        if (try? app.page()) != nil { try? await app.run("undefined") }
        let problems = app.server.traffic.query(TrafficFilter([.init(.kind, "problem")]), limit: .max).records
        return problems.reduce(into: []) { findings, record in
            guard EmulatedApp.codesOfBinaryFindings.contains(record.json["code"]?.string ?? ""),
                let text = record.json["text"]?.string, !findings.contains(text)
            else { return }
            findings.append(text)
        }
    }

    private func runSteps(
        of flow: Flow, _ app: BridgedApp, _ history: FlowHistory, _ recorder: TraceRecorder?
    ) async -> FlowFailure? {
        await recorder?.start()
        for (index, step) in flow.steps.enumerated() {
            history.step = index + 1
            progress.step = FlowFailure.Place(number: index + 1, line: step.line, text: "\(step.action)")
            let (start, begin) = (Timestamp.now, ContinuousClock.now)
            let failure = await run(step, number: index + 1, app)
            await recorder?.ended(start, ContinuousClock.now - begin)
            if let failure { return failure }
        }
        return nil
    }

    private func run(_ step: Flow.Step, number: Int, _ app: BridgedApp) async -> FlowFailure? {
        let place = FlowFailure.Place(number: number, line: step.line, text: "\(step.action)")
        do {
            try await StepRunner(app: app, timeout: step.timeout).run(step.action)
            // Some steps do not look for dialogs, and after the last step nothing else would.
            try app.failOnDialog("no dialog that nobody answers")
            return nil
        } catch let failure as BridgedAppFailure {
            return FlowFailure(
                step: place, expected: failure.expected, found: failure.found, records: failure.records)
        } catch {
            return FlowFailure(
                step: place, expected: "the step to succeed", found: "\(error)",
                records: app.latestRecords.all)
        }
    }
}

/// What a runner does now.
@MainActor private final class FlowProgress {
    var app: BridgedApp?
    var step: FlowFailure.Place?

    func end() { (app, step) = (nil, nil) }
}

/// Runs one step.
@MainActor private struct StepRunner {
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
        case .stub(let stub):
            app.server.stub(
                stub.handler, webView: stub.webView, match: stub.match, reply: stub.reply, delay: stub.delay)
            // If a page is attached, wait until it has the new handler. Later pages have it from the start.
            guard (try? app.page()) != nil else { return }
            try await app.wait(
                until: JavaScriptCall("(name => window.webkit?.messageHandlers[name] !== undefined)", stub.handler)
                    .source)
        case .post(let handler, let body, let reply): try await post(handler, body, reply)
        case .tap(let target): try await app.tap(target, within: timeout)
        case .wait(let duration): try await Task.sleep(for: duration)
        case .waitUntil(let expression): try await app.wait(until: expression, within: timeout)
        case .perform(let name, let arguments):
            do { try await app.app?.perform(name, arguments).arrive() } catch {
                throw app.failure("\(name) to succeed", "\(error)")
            }
        case .expectApp(let state): try await expectApp(state)
        }
    }

    private func expect(_ pattern: Flow.MessagePattern) async throws {
        do {
            _ = try await pattern.next(in: app, within: timeout)
        } catch let failure as BridgedAppFailure {
            let messages = app.server.traffic.query(TrafficFilter([.init(.kind, "message")]), limit: .max).records
            let others = messages.filter { pattern.messages.matches($0) }.suffix(3)
            guard pattern.match == nil || others.isEmpty else {
                let found = others.map { "record \($0.number) has \($0.payload.json)" }.joined(separator: ", ")
                throw app.failure(failure.expected, found)
            }
            throw app.failure(failure.expected, failure.found + whatCame(insteadOf: pattern, messages))
        }
    }

    /// A text with the messages that came in place of one that a step expects.
    private func whatCame(insteadOf pattern: Flow.MessagePattern, _ messages: [StoredRecord]) -> String {
        guard !messages.isEmpty else { return "" }
        let came = messages.suffix(5).map {
            "record \($0.number) to \($0.json["handler"]?.string ?? "") has \($0.payload.json)"
        }
        let names = messages.compactMap { $0.json["name"]?.string }
        let nearest = pattern.name.flatMap { EditDistance.nearest(to: $0, in: names) }.map { "did you mean \($0)? " }
        return "; \(nearest ?? "")these came: \(came.joined(separator: ", "))"
    }

    private func post(_ handler: String, _ body: ScriptValue, _ expected: Flow.ExpectedReply) async throws {
        let arguments = ScriptValue(["handler": .string(handler), "body": JSONValue(body.json)])
        let script = """
            const found = window.webkit?.messageHandlers[handler]
            if (found) return await found.postMessage(body)
            if (window[handler]?.postMessage) return window[handler].postMessage(JSON.stringify(body)) // Android
            throw new Error(`webkit.messageHandlers.${handler} is undefined`)
            """
        let deadline = ContinuousClock.now + (timeout ?? app.timeout)
        let page = try await app.page(before: deadline)
        let left = max(.milliseconds(1), deadline - ContinuousClock.now)
        let result = await withCheckedContinuation { continuation in
            page.callAsync(script, arguments: arguments, timeout: left) {
                continuation.resume(returning: $0)
            }
        }
        switch (result, expected) {
        case (.success, .anything): return
        case (.success(let value), .value(let expected)) where value == expected: return
        case (.failure(let error), .rejection(let text)) where "\(error)".contains(text): return
        case (.success(let value), _): throw app.failure("\(expected)", "the reply \(value)")
        case (.failure(let error), _): throw app.failure("\(expected)", "\(error)")
        }
    }

    private func expectApp(_ expected: ScriptValue) async throws {
        let timeout = timeout ?? app.timeout
        let deadline = ContinuousClock.now + timeout
        while true {
            let state = ScriptValue(.object(app.app?.state ?? []))
            if state.contains(subset: expected) { return }
            guard ContinuousClock.now < deadline else {
                let asked = app.app?.state.filter { expected.child($0.key) != nil } ?? []
                throw app.failure("the app to show \(expected.json) within \(timeout)", JSONValue.object(asked).text)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
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
