import BridgeProtocol
public import BridgeYAML
import EmulatedApp
import PathConfiguration

extension Flow {
    /// Reads a flow: a list of steps, or `{name: …, steps: […]}`.
    /// - Throws: `YAMLError`, with the place of the mistake.
    public init(_ yaml: YAMLFile) throws(YAMLError) {
        file = yaml.name
        let usualName = yaml.name.split(separator: "/").last?.split(separator: ".").first ?? "flow"
        if case .sequence = yaml.root.content {
            name = String(usualName)
            frameworks = []
            steps = try yaml.root.elements().map(Step.init)
        } else {
            let members = try yaml.root.members(["name", "framework", "steps"])
            name = try members["name"]?.text() ?? String(usualName)
            frameworks = try members["framework"]?.frameworks() ?? []
            guard let list = members["steps"] else { throw yaml.root.error("A flow needs steps: a list.") }
            steps = try list.elements().map(Step.init)
        }
    }
}

extension Flow.Step {
    private static let actions = [
        "open", "evaluate", "expect message", "expect no message", "stub", "post", "tap", "wait", "perform",
        "expect app", "expect requests", "expect no problem", "fault", "visit",
    ]

    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        if case .scalar(_, "expect no problem") = value.content {
            (action, line, timeout) = (.expectNoProblem(code: nil), value.line, nil)
            return
        }
        let members = try value.members(Flow.Step.actions + ["equals", "rejects", "timeout"])
        let found = Flow.Step.actions.filter { members[$0] != nil }
        guard found.count == 1, let name = found.first, let argument = members[name] else {
            throw value.error("A step is one of \(Flow.Step.actions.joined(separator: ", ")); found \(value.summary).")
        }
        for (key, owners) in [("equals", ["evaluate", "post"]), ("rejects", ["post"])] {
            guard let member = members[key], !owners.contains(name) else { continue }
            throw member.error("\(key) belongs to \(owners.joined(separator: " and ")), not to \(name).")
        }
        line = value.line
        timeout = try members["timeout"]?.duration()
        action = try Flow.Step.action(name, argument, members)
    }

    private static func action(
        _ name: String, _ argument: YAMLValue, _ members: [String: YAMLValue]
    ) throws(YAMLError) -> Flow.Action {
        switch name {
        case "open": try open(argument)
        case "evaluate": .evaluate(try argument.text(), equals: members["equals"]?.scriptValue)
        case "expect message": .expectMessage(try Flow.MessagePattern(argument))
        case "expect no message": .expectNoMessage(try Flow.MessagePattern(argument))
        case "expect requests": .expectRequests(try ExpectedRequests(argument))
        case "expect no problem": .expectNoProblem(code: try argument.members(["code"])["code"]?.text())
        case "stub": .stub(try DeclaredStub(argument))
        case "fault": .fault(try Fault(argument))
        case "post": try post(argument, members)
        case "tap": .tap(try ElementTarget(argument))
        case "perform": try perform(argument)
        case "visit": try visit(argument)
        case "expect app": try expectApp(argument)
        default:
            if let duration = Duration(try argument.text()) { .wait(duration) } else { .waitUntil(try argument.text()) }
        }
    }

    private static func open(_ value: YAMLValue) throws(YAMLError) -> Flow.Action {
        if case .scalar = value.content { return .open(try value.text()) }
        let members = try value.members(["url", "until"])
        guard let url = members["url"] else {
            throw value.error("An open needs a url: open: /posts, or open: {url: /posts, until: attached}.")
        }
        guard let until = members["until"] else { return .open(try url.text()) }
        guard let readiness = PageReadiness(rawValue: try until.text()) else {
            let names = PageReadiness.allCases.map(\.rawValue).joined(separator: ", ")
            throw until.error("until is one of \(names), not \(until.summary).")
        }
        return .open(try url.text(), until: readiness)
    }

    private static func perform(_ value: YAMLValue) throws(YAMLError) -> Flow.Action {
        let mistake = "A perform needs an action, and the arguments as texts: {action: visit, url: /posts}."
        guard case .mapping(let entries) = value.content else { throw value.error(mistake) }
        var arguments: [String: String] = [:]
        for entry in entries { arguments[entry.key] = try entry.value.text() }
        guard let action = arguments.removeValue(forKey: "action") else { throw value.error(mistake) }
        return .perform(action: action, arguments: arguments)
    }

    private static func visit(_ value: YAMLValue) throws(YAMLError) -> Flow.Action {
        if case .scalar = value.content { return .perform(action: "visit", arguments: ["url": try value.text()]) }
        let members = try value.members(["url", "action"])
        guard let url = members["url"] else {
            throw value.error("A visit needs a url: visit: /posts, or visit: {url: /posts, action: replace}.")
        }
        var arguments = ["url": try url.text()]
        if let action = members["action"] {
            let name = try action.text()
            guard VisitAction(rawValue: name) != nil else {
                let names = VisitAction.allCases.map(\.rawValue).joined(separator: ", ")
                throw action.error("action is one of \(names), not \"\(name)\".")
            }
            arguments["visitAction"] = name
        }
        return .perform(action: "visit", arguments: arguments)
    }

    /// Reads a part of the app's state. A wrong name would wait in vain for its time limit.
    private static func expectApp(_ value: YAMLValue) throws(YAMLError) -> Flow.Action {
        _ = try value.members(EmulatedApp.stateNames + namesOfRealApps)
        return .expectApp(value.scriptValue)
    }

    /// The keys that only the state of a real app has; see `AppHost`.
    private static let namesOfRealApps = ["haptics", "reviewRequests"]

    private static func post(_ value: YAMLValue, _ members: [String: YAMLValue]) throws(YAMLError) -> Flow.Action {
        let parts = try value.members(["handler", "body"])
        guard let body = parts["body"] else {
            throw value.error("A post needs a body: {handler: nativeApp, body: {name: …}}.")
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
            throw value.error("Requests need a url, which may be a path: {url: /posts, count: 1}.")
        }
        self.init(
            url: try url.text(), method: try members["method"]?.text(), status: try members["status"]?.wholeNumber(),
            count: try members["count"]?.wholeNumber())
    }
}

extension Fault {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["url", "kind", "delay", "status", "times"])
        guard let url = members["url"], let kind = members["kind"], let name = Fault.Name(rawValue: try kind.text())
        else {
            let names = Fault.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw value.error("A fault needs a url and a kind (\(names)): {url: /posts, kind: offline}.")
        }
        let (delay, status) = (try members["delay"]?.duration(), try members["status"]?.wholeNumber())
        let (text, times) = (try url.text(), try members["times"]?.wholeNumber())
        do throws(Fault.Mistake) {
            try self.init(url: text, name, delay: delay, status: status, times: times)
        } catch {
            throw value.error(error.description)
        }
    }
}

extension YAMLValue {
    /// Reads a release, several with commas, or a list.
    fileprivate func frameworks() throws(YAMLError) -> [Framework] {
        var found: [Framework] = []
        let values: [YAMLValue] = if case .sequence(let values) = content { values } else { [self] }
        for value in values {
            for name in try value.text().split(separator: ",", omittingEmptySubsequences: false) {
                let name = name.trimmingPrefix(" ")
                guard let framework = Framework(named: String(name)) else {
                    throw value.error("framework is one of \(Framework.names), not \"\(name)\".")
                }
                found.append(framework)
            }
        }
        return found
    }

    fileprivate func wholeNumber() throws(YAMLError) -> Int {
        guard let number = Int(try text()), number >= 0 else {
            throw error("Expected a whole number, found \(summary).")
        }
        return number
    }
}

extension Flow.MessagePattern {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["handler", "name", "component", "event", "verdict", "match"])
        let outcomes = Verdict.Outcome.allCases.map(\.rawValue)
        verdict = try members["verdict"]?.text()
        if let verdict, !outcomes.contains(verdict) {
            throw value.error("verdict is \(outcomes.joined(separator: ", ")), not \"\(verdict)\".")
        }
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

extension ElementTarget {
    /// Reads a CSS selector, `{role, name}`, `{label}`, `{text}` or `{testId}`.
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        if case .scalar = value.content {
            self = .css(try value.text())
            return
        }
        let members = try value.members(["role", "name", "label", "text", "testId"])
        func text(_ key: String) throws(YAMLError) -> String? { try members[key]?.text() }
        let target = ElementTarget(
            role: try text("role"), name: try text("name"), label: try text("label"), text: try text("text"),
            testID: try text("testId"))
        guard let target else {
            throw value.error(
                """
                An element is a CSS selector, or one of {role: button, name: Save}, {label: Email}, {text: Sign in} and \
                {testId: save}.
                """)
        }
        self = target
    }
}
