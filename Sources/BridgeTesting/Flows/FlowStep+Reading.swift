import BridgeProtocol
import BridgeYAML
import EmulatedApp

extension Flow {
    /// The steps of the language, in the order in which messages list them.
    enum StepName: String, CaseIterable {
        case open, tap, fill, type, press, select, check, uncheck
        case chooseFile = "choose file"
        case scrollTo = "scroll to"
        case hover, drag
        case expectText = "expect text"
        case expectElement = "expect element"
        case expectURL = "expect url"
        case expectTitle = "expect title"
        case expectBarButton = "expect bar button"
        case expectAlert = "expect alert"
        case expectMessage = "expect message"
        case expectNoMessage = "expect no message"
        case expectApp = "expect app"
        case expectRequests = "expect requests"
        case expectNoProblem = "expect no problem"
        case evaluate, wait, perform, visit, stub, reply, post, fault, run
    }
}

extension Flow.Step {
    /// The members beside a step's own, and the steps that have them; nil for all.
    private static let others: [(key: String, owners: [Flow.StepName]?)] = [
        ("equals", [.evaluate, .post]), ("rejects", [.post]), ("timeout", nil),
    ]

    init(_ value: YAMLValue) throws(YAMLError) {
        if case .scalar(_, Flow.StepName.expectNoProblem.rawValue) = value.content {
            (action, line, timeout) = (.expectNoProblem(code: nil), value.line, nil)
            return
        }
        let names = Flow.StepName.allCases
        let members = try value.members(names.map(\.rawValue) + Flow.Step.others.map(\.key))
        let found = names.filter { members[$0.rawValue] != nil }
        guard found.count == 1, let name = found.first, let argument = members[name.rawValue] else {
            let all = names.map(\.rawValue).joined(separator: ", ")
            throw value.error("A step is one of \(all); found \(value.summary).")
        }
        for (key, owners) in Flow.Step.others {
            guard let member = members[key], let owners, !owners.contains(name) else { continue }
            let names = owners.map(\.rawValue).joined(separator: " and ")
            throw member.error("\(key) belongs to \(names), not to \(name.rawValue).")
        }
        line = value.line
        timeout = try members["timeout"]?.duration()
        action = try Flow.Action(name, argument, members)
        if let limit = members["timeout"], let reason = action.whyNoTimeout {
            throw limit.error(
                "A timeout has no effect on this step: \(name.rawValue) \(reason). Found \(limit.summary); leave it out."
            )
        }
    }
}

extension Flow.Action {
    fileprivate init(
        _ name: Flow.StepName, _ argument: YAMLValue, _ members: [String: YAMLValue]
    ) throws(YAMLError) {
        self =
            switch name {
            case .open: try .open(reading: argument)
            case .tap: .act(.tap(try ElementTarget(argument)))
            case .fill: .act(try .fill(reading: argument))
            case .type: .act(try .type(reading: argument))
            case .press: .act(try .press(reading: argument))
            case .select: .act(try .select(reading: argument))
            case .check: .act(.check(try ElementTarget(argument), isChecked: true))
            case .uncheck: .act(.check(try ElementTarget(argument), isChecked: false))
            case .chooseFile: .act(try .chooseFiles(reading: argument))
            case .scrollTo: .act(.scrollTo(try ElementTarget(argument)))
            case .hover: .act(.hover(try ElementTarget(argument)))
            case .drag: .act(try .drag(reading: argument))
            case .expectText: .expectPage(.text(try Flow.Action.text(of: argument)))
            case .expectElement: .expectPage(.element(try ElementExpectation(argument)))
            case .expectURL: .expectPage(.url(try argument.text()))
            case .expectTitle: .expectPage(.title(try argument.text()))
            case .expectBarButton: .expectNative(.barButton(try argument.text()))
            case .expectAlert: .expectNative(.alert(try argument.text()))
            case .expectMessage: .expectMessage(try Flow.MessagePattern(argument))
            case .expectNoMessage: .expectNoMessage(try Flow.MessagePattern(argument))
            case .expectApp: try .expectState(reading: argument)
            case .expectRequests: .expectRequests(try ExpectedRequests(argument))
            case .expectNoProblem: .expectNoProblem(code: try Flow.Action.code(of: argument))
            case .evaluate: .evaluate(try argument.text(), equals: members["equals"]?.scriptValue)
            case .wait: try .wait(reading: argument)
            case .perform: try .perform(reading: argument)
            case .visit: try .visit(reading: argument)
            case .stub: try .stub(reading: argument)
            case .reply: try .reply(reading: argument)
            case .post: try .post(reading: argument, members)
            case .fault: .fault(try Fault(argument))
            case .run: throw argument.error("run is a step of a flow's list.")
            }
    }

    /// Why a timeout has no effect, as the end of a sentence; nil if the step waits for something.
    fileprivate var whyNoTimeout: String? {
        switch self {
        case .open, .evaluate, .expectMessage, .expectNoMessage, .expectRequests, .expectNoProblem, .post, .act,
            .expectPage, .expectNative, .waitUntil, .expectState:
            nil
        case .stub, .stubComponent, .fault, .perform(action: "reply", _, _): "waits for nothing"
        case .wait(let duration): "lasts \(duration)"
        case .perform(_, _, waits: false): "goes on at once with wait: false"
        case .perform: nil
        }
    }

    private static func open(reading value: YAMLValue) throws(YAMLError) -> Self {
        if case .scalar = value.content { return .open(try value.text()) }
        let members = try value.members(["url", "until"])
        guard let url = members["url"] else {
            throw value.error(expected: "An open needs a url: open: /posts, or open: {url: /posts, until: attached}")
        }
        guard let until = members["until"] else { return .open(try url.text()) }
        guard let readiness = PageReadiness(rawValue: try until.text()) else {
            let names = PageReadiness.allCases.map(\.rawValue).joined(separator: ", ")
            throw until.error("until is one of \(names), not \(until.summary).")
        }
        return .open(try url.text(), until: readiness)
    }

    private static func wait(reading value: YAMLValue) throws(YAMLError) -> Self {
        let text = try value.text()
        return Duration(text).map { .wait($0) } ?? .waitUntil(text)
    }

    private static func stub(reading value: YAMLValue) throws(YAMLError) -> Self {
        let isOfComponent = try value.orderedMembers().contains { $0.key == "component" }
        return isOfComponent ? .stubComponent(try .stub(value)) : .stub(try DeclaredStub(value))
    }

    private static func reply(reading value: YAMLValue) throws(YAMLError) -> Self {
        let members = try value.members(["component", "event", "data"])
        guard let component = members["component"], let event = members["event"] else {
            throw value.error(
                expected: "A reply needs a component and an event: {component: form, event: connect, data: {}}")
        }
        var arguments = ["component": try component.text(), "event": try event.text()]
        if let data = members["data"] {
            _ = try data.orderedMembers()
            arguments["data"] = data.json.text
        }
        return .perform(action: "reply", arguments: arguments)
    }

    /// Reads a text that the page must show. Every page shows the empty one.
    private static func text(of value: YAMLValue) throws(YAMLError) -> String {
        let text = try value.text()
        guard !text.isEmpty else { throw value.error(expected: "Give a text: every page has the empty one") }
        return text
    }

    /// Reads the code of a problem. Without one, as beside a timeout, every problem is meant.
    private static func code(of value: YAMLValue) throws(YAMLError) -> String? {
        if case .scalar(.null, _) = value.content { return nil }
        return try value.members(["code"])["code"]?.text()
    }

    private static func perform(reading value: YAMLValue) throws(YAMLError) -> Self {
        let mistake = value.error(
            expected: "A perform needs an action, and the arguments as texts: {action: visit, url: /posts}")
        guard case .mapping(let entries) = value.content else { throw mistake }
        var arguments: [String: String] = [:]
        var waits = true
        for entry in entries {
            if entry.key == "wait" {
                waits = try entry.value.bool()
            } else {
                arguments[entry.key] = try entry.value.text()
            }
        }
        guard let action = arguments.removeValue(forKey: "action") else { throw mistake }
        return .perform(action: action, arguments: arguments, waits: waits)
    }

    private static func visit(reading value: YAMLValue) throws(YAMLError) -> Self {
        if case .scalar = value.content { return .perform(action: "visit", arguments: ["url": try value.text()]) }
        let members = try value.members(["url", "action", "wait"])
        guard let url = members["url"] else {
            throw value.error(
                expected: "A visit needs a url: visit: /posts, or visit: {url: /posts, action: replace}")
        }
        var arguments = ["url": try url.text()]
        if let action = members["action"] {
            let name = try action.text()
            guard VisitAction(rawValue: name) != nil else {
                let names = VisitAction.allCases.map(\.rawValue).joined(separator: ", ")
                throw action.error("action is one of \(names), not \(action.summary).")
            }
            arguments["visitAction"] = name
        }
        return .perform(action: "visit", arguments: arguments, waits: try members["wait"]?.bool() ?? true)
    }

    /// Reads a part of the app's state. A wrong name would wait in vain for its time limit.
    private static func expectState(reading value: YAMLValue) throws(YAMLError) -> Self {
        _ = try value.members(EmulatedApp.stateNames + namesOfRealApps)
        return .expectState(value.scriptValue)
    }

    /// The keys that only the state of a real app has; see `AppHost`.
    private static let namesOfRealApps = ["haptics", "reviewRequests"]

    private static func post(reading value: YAMLValue, _ members: [String: YAMLValue]) throws(YAMLError) -> Self {
        let parts = try value.members(["handler", "body"])
        guard let body = parts["body"] else {
            throw value.error(expected: "A post needs a body: {handler: nativeApp, body: {name: …}}")
        }
        let reply: Flow.ExpectedReply
        switch (members["equals"], members["rejects"]) {
        case (let value?, nil): reply = .value(value.scriptValue)
        case (nil, let text?): reply = .rejection(try text.text())
        case (nil, nil): reply = .anything
        case (_?, let text?): throw text.error("Give equals or rejects, not both.")
        }
        return .post(handler: try parts["handler"]?.text() ?? "nativeApp", body: body.scriptValue, reply: reply)
    }
}

extension ExpectedRequests {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["url", "method", "status", "count"])
        guard let url = members["url"] else {
            throw value.error(expected: "Requests need a url, which may be a path: {url: /posts, count: 1}")
        }
        self.init(
            url: try url.text(), method: try members["method"]?.text(), status: try members["status"]?.wholeNumber(),
            count: try members["count"]?.wholeNumber())
    }
}

extension Fault {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["url", "kind", "delay", "status", "times"])
        let names = Fault.Name.allCases.map(\.rawValue).joined(separator: ", ")
        guard let url = members["url"], let kind = members["kind"] else {
            throw value.error(expected: "A fault needs a url and a kind (\(names)): {url: /posts, kind: offline}")
        }
        guard let name = Fault.Name(rawValue: try kind.text()) else {
            throw kind.error("kind is one of \(names), not \(kind.summary).")
        }
        let (delay, status) = (try members["delay"]?.duration(), try members["status"]?.wholeNumber())
        let (text, times) = (try url.text(), try members["times"]?.wholeNumber())
        do throws(Fault.Mistake) {
            try self.init(url: text, name, delay: delay, status: status, times: times)
        } catch {
            throw value.error("\(error.description) Found \(value.summary).")
        }
    }
}

extension YAMLValue {
    func wholeNumber() throws(YAMLError) -> Int {
        guard let number = Int(try text()), number >= 0 else {
            throw error("Expected a whole number, found \(summary).")
        }
        return number
    }

    fileprivate func outcome() throws(YAMLError) -> Verdict.Outcome {
        guard let outcome = Verdict.Outcome(rawValue: try text()) else {
            let outcomes = Verdict.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("verdict is one of \(outcomes), not \(summary).")
        }
        return outcome
    }
}

extension Flow.MessagePattern {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["handler", "name", "component", "event", "verdict", "match"])
        verdict = try members["verdict"]?.outcome()
        handler = try members["handler"]?.text()
        name = try members["name"]?.text()
        match = try Self.body(members)
    }

    /// The subset of the body that is expected. A component's message has its component and its event there.
    private static func body(_ members: [String: YAMLValue]) throws(YAMLError) -> ScriptValue? {
        let match = members["match"]
        var expected: [JSONValue.Member] = []
        for key in ["component", "event"] {
            if let member = members[key] { expected.append(.init(key, .string(try member.text()))) }
        }
        guard !expected.isEmpty else { return match?.scriptValue }
        for member in try match?.orderedMembers() ?? [] {
            expected.append(.init(member.key, JSONValue(member.value.scriptValue.json)))
        }
        return ScriptValue(.object(expected))
    }
}
