import BridgeClient
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation

/// Runs the steps of a flow in the page that a device shows. Only the thread of the flow uses it.
final class DeviceSteps {
    private let daemon: DaemonClient
    private let device: FlowDevice
    private let traffic: DeviceTraffic
    private let ask: (@Sendable (String) -> Bool)?
    /// What the page has made of steps.
    private(set) var notes: [String] = []
    private(set) var skipped: [SkippedStep] = []
    /// Since when the device shows no page.
    private var goneSince: ContinuousClock.Instant?

    /// How long the device may show no page between two documents.
    private static let patience = Duration.usualTimeout * 2

    init(
        _ daemon: DaemonClient, _ device: FlowDevice, _ traffic: DeviceTraffic, _ ask: (@Sendable (String) -> Bool)?
    ) {
        (self.daemon, self.device, self.traffic, self.ask) = (daemon, device, traffic, ask)
    }

    func run(_ step: Flow.Step, at place: FlowFailure.Place) throws {
        goneSince = nil
        if let reason = reasonToSkip(step.action, place) {
            skipped.append(SkippedStep(number: place.number, reason: reason))
            return
        }
        do { try run(step.action, within: step.timeout, place) } catch {
            // Whatever was expected, this is why it did not come.
            guard let reason = traffic.whyOver() else { throw described(error, step) }
            throw BridgedAppFailure(expected: "\(step.text) to be done", found: reason, records: [], isTimeOut: false)
        }
    }

    private func described(_ error: any Error, _ step: Flow.Step) -> any Error {
        guard !(error is BridgedAppFailure) else { return error }
        let found = if case ClientError.error(let error) = error { error.message } else { "\(error)" }
        return failure("\(step.text) to be done", found)
    }

    private func failure(_ expected: String, _ found: String, isTimeOut: Bool = false) -> BridgedAppFailure {
        // The page has chosen parts of it.
        BridgedAppFailure(
            expected: expected, found: shortened(found, to: 4_000), records: traffic.latest(), isTimeOut: isTimeOut)
    }

    private func run(_ action: Flow.Action, within timeout: Duration?, _ place: FlowFailure.Place) throws {
        let usual = timeout ?? .usualTimeout
        switch action {
        case .open(let url, let readiness): try open(url, until: readiness, within: timeout ?? .seconds(30))
        case .perform("visit", let arguments, _):
            let (url, action) = (arguments["url"] ?? "", arguments["visitAction"])
            try open(url, as: action, within: timeout ?? .seconds(30))
        case .act(let action):
            let result = try call("page.act", action.params, within: usual)
            if let note = result["note"]?.string { notes.append("step \(place.number): \(note)") }
        case .expectPage(let expectation): try expect(expectation, within: usual)
        case .evaluate(let script, let expected): try evaluate(script, expected, within: usual)
        case .post(let handler, let body, let reply): try post(handler, body, reply, within: usual)
        case .waitUntil(let condition): try wait(until: condition, within: usual)
        case .wait(let duration): Thread.sleep(forTimeInterval: duration / .seconds(1))
        case .expectMessage(let pattern): try expect(pattern, within: usual)
        case .expectNoMessage(let pattern):
            guard let record = try next(pattern, within: timeout ?? .milliseconds(500)) else { return }
            throw failure("no message \(pattern)", "record \(record["record"]?.text ?? "") came: \(record.text)")
        case .expectNoProblem(let code): try expectNoProblem(code, within: timeout ?? .milliseconds(500))
        case .perform(let name, let arguments, _): try askFor(name, arguments, place)
        case .expectRequests, .stub, .stubComponent, .fault, .expectNative, .expectState: return
        }
    }

    /// Calls a method about the page that the device shows.
    private func call(
        _ method: String, _ params: [JSONValue.Member], within timeout: Duration
    ) throws(ClientError) -> JSON {
        let milliseconds = JSONValue.Member("timeoutMs", .number((timeout / .milliseconds(1)).rounded()))
        return try daemon.call(method, [.init("device", .string(device.id)), milliseconds] + params)
    }

    /// Calls a method as ``call(_:_:within:)`` does.
    /// - Returns: the daemon's error, if it answers with one.
    private func answer(
        of method: String, _ params: [JSONValue.Member], within timeout: Duration
    ) throws(ClientError) -> Result<JSON, RPCError> {
        do {
            return .success(try call(method, params, within: timeout))
        } catch {
            if case .error(let error) = error { return .failure(error) }
            throw error
        }
    }

    // MARK: What a page cannot do

    /// Says why a step cannot be done from within a page; nil if it can.
    private func reasonToSkip(_ action: Flow.Action, _ place: FlowFailure.Place) -> String? {
        switch action {
        case .perform("visit", _, _): nil
        case .perform("reply", _, _): "the app's own native code replies"
        case .perform where ask == nil:
            "only the user can do that, outside of the page; with --ask you are asked for it"
        case .expectNative: "a page does not see native parts"
        case .expectState: "a page does not see the app's screens"
        case .expectRequests: "a page does not see the requests of its app"
        case .fault: "a page cannot change the requests of its app"
        case .stub, .stubComponent: "the app's own native code answers"
        case .expectMessage(let pattern), .expectNoMessage(let pattern): pattern.whyNotOnDevice
        default: nil
        }
    }

    /// Lets the user do what the app's user does outside of the page.
    private func askFor(_ name: String, _ arguments: Action.Arguments, _ place: FlowFailure.Place) throws {
        let values = arguments.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let what = name == "back" ? "go back" : "do this: \(name)\(values)"
        guard let ask, ask("step \(place.number): now \(what) on the phone (press Return)") else {
            skipped.append(SkippedStep(number: place.number, reason: "nobody said that it was done"))
            return
        }
    }

    // MARK: Pages

    /// Follows a link to a URL, which is in the page for a moment. So the app gets what it gets from its user: Turbo, if the
    /// page has it, proposes a visit to native code.
    private static let followLink = """
        const link = document.createElement("a")
        link.href = new URL(url, location.href).href
        if (action) link.dataset.turboAction = action
        link.style.display = "none"
        ;(document.body ?? document.documentElement).append(link)
        setTimeout(() => {
          link.click()
          link.remove()
        })
        return { from: location.href, to: link.href }
        """

    private func open(
        _ url: String, as action: String? = nil, until readiness: PageReadiness = .load, within timeout: Duration
    ) throws {
        let deadline = ContinuousClock.now + timeout
        let before = try shownPage()
        let after = try traffic.lastRecord()
        let arguments: JSONValue = ["url": .string(url), "action": action.map { .string($0) } ?? .null]
        let answer = try call(
            "script.callAsync", [.init("body", .string(DeviceSteps.followLink)), .init("arguments", arguments)],
            within: min(timeout, .seconds(10)))
        let (from, to) = (answer["value"]?["from"]?.string ?? "", answer["value"]?["to"]?.string ?? url)
        let staysInDocument = to.contains("#") && to.prefix { $0 != "#" } == from.prefix { $0 != "#" }
        while true {
            let page = try shownPage()
            if let page, page.id != before?.id {
                if readiness == .attached || page.isLoaded { return }
            } else if let page, staysInDocument ? page.url == to : try hasVisited(page, after) {
                return
            }
            guard ContinuousClock.now < deadline else {
                let found = page.map { "it shows \($0.url)\($0.isLoaded ? "" : ", which has not loaded")" }
                throw failure(
                    "the phone to open \(to) within \(timeout)",
                    "\(found ?? "it shows no page"). Native code may have opened a screen of its own", isTimeOut: true)
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Whether Turbo has shown a page since a record, in the document that was there before.
    private func hasVisited(_ page: DevicePage, _ after: Int) throws -> Bool {
        try traffic.all(.app, after: after).contains { record in
            record["page"]?.string == page.id
                && ["turbo:load", "turbolinks:load"].contains(record["event"]?.string ?? "")
        }
    }

    /// The page that the device shows; nil if there is none for a short time.
    private func shownPage() throws -> DevicePage? {
        let pages = try daemon.call("pages.list", expecting: ["pages"])["pages"]?.elements ?? []
        if let page = DevicePage.shown(in: pages, of: device.id) {
            goneSince = nil
            return page
        }
        let since = goneSince ?? .now
        goneSince = since
        guard ContinuousClock.now - since < DeviceSteps.patience else {
            throw failure(
                "the phone to show a page",
                "it shows none for \(DeviceSteps.patience): its app has ended or lost the connection, or it shows a page without "
                    + "the tag of bridge.js")
        }
        return nil
    }

    private func expect(_ expectation: PageExpectation, within timeout: Duration) throws {
        guard case .failure(let error) = try answer(of: "page.expect", expectation.params, within: timeout) else {
            return
        }
        throw failure("the page to show \(expectation) within \(timeout)", error.message)
    }

    // MARK: Scripts

    private func evaluate(_ script: String, _ expected: ScriptValue?, within timeout: Duration) throws {
        let answer = try answer(of: "script.evaluate", [.init("source", .string(script))], within: timeout)
        if case .failure(let error) = answer {
            // The step that expects no value takes one that cannot be sent, such as a promise.
            if expected == nil, error.code == .resultTypeUnsupported { return }
            throw failure("\(script) to have a value", error.message)
        }
        guard let expected else { return }
        let value = try ScriptValue(params: try answer.get(), key: "value")
        guard value == expected else { throw failure("\(expected.json)", "\(value)") }
    }

    private func post(
        _ handler: String, _ body: ScriptValue, _ expected: Flow.ExpectedReply, within timeout: Duration
    ) throws {
        let arguments: JSONValue = ["handler": .string(handler), "body": JSONValue(body.json)]
        let answer = try answer(
            of: "script.callAsync",
            [.init("body", .string(StepRunner.postScript)), .init("arguments", arguments)], within: timeout)
        let result = answer.flatMap { answer in
            Result { () throws(RPCError) in try ScriptValue(params: answer, key: "value") }
        }
        switch (result, expected) {
        case (.success, .anything): return
        case (.success(let value), .value(let expected)) where value == expected: return
        case (.failure(let error), .rejection(let text)) where error.message.contains(text): return
        case (.success(let value), _): throw failure("\(expected)", "the reply \(value)")
        case (.failure(let error), _): throw failure("\(expected)", error.message)
        }
    }

    private func wait(until condition: String, within timeout: Duration) throws {
        let answer = try answer(of: "script.wait", [.init("condition", .string(condition))], within: timeout)
        guard case .failure(let error) = answer else { return }
        throw failure("\(condition) to be true within \(timeout)", error.message)
    }

    // MARK: Messages

    private func expect(_ pattern: Flow.MessagePattern, within timeout: Duration) throws {
        guard try next(pattern, within: timeout) == nil else { return }
        let missed = MissedMessage(
            pattern: pattern, came: try traffic.all(.message).compactMap(MissedMessage.Candidate.init))
        throw failure("a message \(pattern) within \(timeout)", missed.text, isTimeOut: true)
    }

    /// Returns the earliest message that fits and that no step has counted, or waits for one.
    private func next(_ pattern: Flow.MessagePattern, within timeout: Duration) throws -> JSON? {
        var found: JSON?
        let deadline = ContinuousClock.now + timeout
        _ = try traffic.next(pattern.deviceParams, before: deadline, onPause: { _ = try shownPage() }) { record in
            let message = pattern.isAboutReply ? try self.message(of: record) : record
            guard let message, let number = message["record"]?.wholeNumber, pattern.fits(message),
                traffic.taken.insert(number).inserted
            else { return false }
            found = message
            return true
        }
        return found
    }

    /// The message that a reply answers.
    private func message(of reply: JSON) throws -> JSON? {
        try traffic.all(.message).last { message in
            ["page", "handler", "seq"].allSatisfy { message[$0]?.text == reply[$0]?.text }
                && message["record"]?.wholeNumber ?? 0 < reply["record"]?.wholeNumber ?? 0
        }
    }

    private func expectNoProblem(_ code: String?, within timeout: Duration) throws {
        var found: JSON?
        let filter = JSONValue.Member("filter", .string("kind:problem\(code.map { " reason:\($0)" } ?? "")"))
        _ = try traffic.next([filter], before: .now + timeout, onPause: {}) { record in
            guard let number = record["record"]?.wholeNumber, traffic.taken.insert(number).inserted else {
                return false
            }
            found = record
            return true
        }
        if let found {
            throw failure(
                "no problem\(code.map { " \($0)" } ?? "")", TrafficRecord(json: found)?.problemText ?? found.text)
        }
    }
}

extension Flow.MessagePattern {
    /// Says why a real app cannot tell; nil if it can. It takes every message, so `handled` is no more than that.
    fileprivate var whyNotOnDevice: String? {
        switch verdict {
        case .dropped: "a page does not see what its app drops; the records have what would be dropped here"
        case .timedOut, .pageGone: "a page does not see how long its app waits"
        default: nil
        }
    }

    /// The params of `messages.wait`.
    fileprivate var deviceParams: [JSONValue.Member] {
        if isAboutReply {
            return [.init("filter", .string("kind:reply verdict:\(verdict?.rawValue ?? "")"))]
                + (handler.map { [.init("handler", .string($0))] } ?? [])
        }
        let members: [JSONValue.Member?] = [
            handler.map { .init("handler", .string($0)) }, name.map { .init("name", .string($0)) },
            match.map { .init("match", JSONValue($0.json)) },
        ]
        return members.compactMap(\.self)
    }

    /// Whether a message fits that was found by its reply.
    fileprivate func fits(_ message: JSON) -> Bool {
        guard isAboutReply else { return true }
        guard name == nil || message["name"]?.string == name else { return false }
        guard let match else { return true }
        return TrafficRecord(json: message)?.payload?.contains(subset: match) ?? false
    }
}

extension PageExpectation {
    /// The params of `page.expect`.
    fileprivate var params: [JSONValue.Member] {
        switch self {
        case .element(let expected):
            if case .object(let members) = expected.json {
                [.init("element", expected.element.json)] + members
            } else {
                []
            }
        case .text(let text): [.init("text", .string(text))]
        case .url(let url): [.init("url", .string(url))]
        case .title(let title): [.init("title", .string(title))]
        }
    }
}

extension ElementAction {
    /// The params of `page.act`.
    fileprivate var params: [JSONValue.Member] {
        let (name, others): (Name, [JSONValue.Member]) =
            switch self {
            case .tap: (.tap, [])
            case .hover: (.hover, [])
            case .drag(_, let to): (.drag, [.init("to", to.json)])
            case .scrollTo: (.scrollTo, [])
            case .fill(_, let text): (.fill, [.init("text", .string(text))])
            case .type(let text, _): (.type, [.init("text", .string(text))])
            case .press(let key, _): (.press, [.init("key", .string(key.text))])
            case .select(let options, _): (.select, [.init("options", .array(options.map { .string($0) }))])
            case .check(_, let isChecked): (isChecked ? .check : .uncheck, [])
            case .chooseFiles(let paths, _):
                (.chooseFiles, [.init("files", .array(paths.map { .string(URL(fileURLWithPath: $0).path) }))])
            }
        return [.init("action", .string(name.rawValue))] + (element.map { [.init("element", $0.json)] } ?? []) + others
    }
}
