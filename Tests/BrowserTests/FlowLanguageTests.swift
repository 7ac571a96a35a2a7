import BridgeProtocol
import BridgeServer
import BridgeYAML
import EmulatedApp
import Foundation
import TestSupport
import Testing

@testable import BridgeTesting

/// What files of flows can say besides their steps: variables, other files, hooks, tags and tables. Without a browser.
@MainActor @Suite(.timeLimit(.minutes(2))) struct FlowLanguageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }

    private func flows(_ name: String, _ inputs: FlowInputs = FlowInputs(environment: [:])) throws -> [Flow] {
        try Flow.all(in: YAMLFile(path: folder.path(name)), inputs)
    }

    private func steps(_ text: String, _ inputs: FlowInputs = FlowInputs(environment: [:])) throws -> [String] {
        try Flow(YAMLFile(name: "f.yml", text: text), inputs).steps.map { "\($0.action)" }
    }

    /// What is wrong with a flow.
    private func mistake(_ text: String, _ inputs: FlowInputs = FlowInputs(environment: [:])) -> String {
        do throws(YAMLError) {
            _ = try Flow(YAMLFile(name: "f.yml", text: text), inputs)
            return "nothing"
        } catch {
            return "\(error)"
        }
    }

    private func without(_ text: String) -> String {
        text.replacing(folder.path("") + "/", with: "").replacing(folder.path(""), with: "")
    }

    // MARK: Variables

    @Test func variablesStandInAnyText() throws {
        let flow = """
            env: {CITY: Köln, COUNT: 3, PLACE: "in ${CITY}"}
            steps:
              - open: /${CITY}/${COUNT}
              - expect message: {name: "${CITY}", match: {count: "${COUNT}", text: "${PLACE}", other: [1, "${CITY}"]}}
              - evaluate: "`$${a} costs $${price}`"
            """
        #expect(
            try steps(flow) == [
                "open /Köln/3",
                #"expect message {"name":"Köln","match":{"count":3,"text":"in Köln","other":[1,"Köln"]}}"#,
                "evaluate `${a} costs ${price}`",
            ])
    }

    /// From the command line, from the flow, or from the process's environment, in this order.
    @Test func valuesFromOutside_haveAnOrder() throws {
        let inputs = FlowInputs(
            commandLine: ["A": "line"], environment: ["A": "process", "B": "process", "C": "process"])
        let flow = "env: {A: flow, B: flow}\nsteps:\n  - open: ${A} ${B} ${C}"
        #expect(try steps(flow, inputs) == ["open line flow process"])
    }

    @Test func mistakesInVariables_haveTheirPlace() throws {
        #expect(
            mistake("env: {EMAIL: a}\nsteps:\n  - open: /\n  - open: /${EMIAL}")
                == "f.yml:4:11: There is no variable EMIAL. Did you mean EMAIL? Give it a value in env: or by "
                + "--env EMIAL=…; for the characters themselves, write $${EMIAL}.")
        #expect(
            mistake("- open: ${A-B}")
                == "f.yml:1:9: ${ begins a variable: ${NAME}. For the characters themselves, write $${.")
        #expect(mistake("- open: ${A").hasPrefix("f.yml:1:9: ${ begins a variable"))
        #expect(
            mistake("env:\n  PIN: # Give it.\nsteps: []")
                == "f.yml:2:3: PIN has no value. Give it: --env PIN=…, or set it in the environment.")
        #expect(mistake("env:\n  PIN:\nsteps: []", FlowInputs(environment: ["PIN": "1"])) == "nothing")
        #expect(mistake("env: {a-b: 1}\nsteps: []").hasPrefix("f.yml:1:7: A variable's name"))
    }

    /// A message's key may begin with `${`, which a recording writes as `$${`.
    @Test func keysHaveNoVariables() throws {
        #expect(
            mistake("env: {KEY: icon}\nsteps:\n  - expect message: {match: {a: 1, \"x${KEY}\": plus}}")
                == "f.yml:3:36: A key has no variables; found \"x${KEY}\". Write the key itself, and for the characters ${ "
                + "write $${.")
        #expect(mistake("- ${STEP}: /").hasPrefix("f.yml:1:3: A key has no variables; found \"${STEP}\"."))
        #expect(mistake("- post: {body: {\"${\": 1}}").hasPrefix("f.yml:1:17: A key has no variables; found \"${\"."))
        #expect(
            try steps(#"- expect message: {match: {"a$${KEY}": 1}}"#) == [#"expect message {"match":{"a${KEY}":1}}"#])
    }

    @Test func whatIsReadBeforeTheVariables_hasNone() {
        let env = "env: {A: \"1\"}\nsteps: []\n"
        #expect(
            mistake(env + "name: Sign in as ${A}")
                == "f.yml:3:7: name has no variables; found ${A}. Write the value itself; the rows of a repeat add theirs "
                + "to the name.")
        for member in ["tags: [smoke, \"${A}\"]", "retries: ${A}", "framework: ${A}"] {
            let text = mistake(env + member)
            #expect(text.hasSuffix(" has no variables; found ${A}. Write the value itself."), "\(text)")
        }
    }

    /// Each of thirty files runs the next one twice.
    @Test func flowsThatRunEachOtherWithoutEnd_areRefused() throws {
        for number in 1...30 { try write("e\(number).yml", "- run: e\(number + 1).yml\n- run: e\(number + 1).yml\n") }
        try write("e31.yml", "- wait: 1ms\n")
        let error = #expect(throws: YAMLError.self) { try flows("e1.yml") }
        #expect(error?.message.hasPrefix("The flow runs more than 1000 files, the last one ") == true)
    }

    // MARK: Timeouts

    @Test(arguments: [
        ("stub: {handler: a, reply: {echo: true}}", "stub waits for nothing"),
        ("stub: {component: a, event: b, reply: echo}", "stub waits for nothing"),
        ("reply: {component: a, event: b}", "reply waits for nothing"),
        ("fault: {url: /, kind: offline}", "fault waits for nothing"), ("wait: 1s", "wait lasts 1.0 seconds"),
        ("perform: {action: back, wait: false}", "perform goes on at once with wait: false"),
        ("visit: {url: /, wait: false}", "visit goes on at once with wait: false"),
    ])
    func timeoutWithoutEffect_isRefused(_ step: String, _ reason: String) {
        #expect(mistake("- \(step)") == "nothing")
        #expect(
            mistake("- \(step)\n  timeout: 2s")
                == "f.yml:2:12: A timeout has no effect on this step: \(reason). Found \"2s\"; leave it out.")
    }

    @Test(arguments: [
        "open: /", "tap: a", "evaluate: 1", "expect message: {name: a}", "expect no message: {name: a}",
        "expect requests: {url: /}", "expect no problem: {code: a}", "post: {body: {}}", "expect text: a",
        "expect alert: a", "wait: done", "perform: {action: back}", "visit: /", "expect app: {title: a}",
    ])
    func timeoutWithAnEffect_isRead(_ step: String) {
        #expect(mistake("- \(step)\n  timeout: 2s") == "nothing")
    }

    /// The list of responses had another name.
    @Test func olderFlowsAreRead() throws {
        for name in ["responses", "answers"] {
            let stub = "- stub: {component: a, event: b, \(name): "
            #expect(try steps(stub + "[{reply: {}}, {error: busy}]}") == ["stub a"])
            #expect(mistake(stub + "[{rpely: {}}]}").contains("Did you mean \"reply\"?"))
        }
    }

    // MARK: Secrets

    /// A variable with the name of a secret is shown by its name, in results as in traces.
    @Test func secretsAreNotShown() throws {
        let text = """
            env: {PASSWORD: hunter2, URL: "/in?p=${PASSWORD}"}
            steps:
              - evaluate: sign("${PASSWORD}")
              - open: ${URL}
            """
        let flow = try Flow(YAMLFile(name: "f.yml", text: text))
        #expect(flow.steps.map { "\($0.action)" } == [#"evaluate sign("hunter2")"#, "open /in?p=hunter2"])
        #expect(flow.steps.map(\.text) == [#"evaluate sign("${PASSWORD}")"#, "open /in?p=${PASSWORD}"])
        #expect(flow.place(ofStep: 1) == #"step 1, f.yml:3: evaluate sign("${PASSWORD}")"#)
    }

    /// Also those that `--redact` names.
    @Test func secretsOfAllSteps_areFoundInAnyForm() throws {
        var inputs = FlowInputs(
            commandLine: ["CARD": "4242 \"1\"", "SECRET_NOTE": String(repeating: "long ", count: 20)], environment: [:])
        inputs.redaction.add("card")
        let text =
            "env: {TOKEN: 123456, KEY: \"a${TOKEN}\"}\nsteps:\n"
            + "  - open: /${CARD}\n  - open: /${SECRET_NOTE}\n  - open: /${KEY}\n  - wait: 1ms"
        let flow = try Flow(YAMLFile(name: "f.yml", text: text), inputs)
        #expect(flow.steps.map(\.text).prefix(3) == ["open /${CARD}", "open /${SECRET_NOTE}", "open /a${TOKEN}"])
        let secrets = flow.secrets
        #expect(secrets.removed(from: #"4242 "1", 4242 \"1\", 4242%20%221%22"#) == "${CARD}, ${CARD}, ${CARD}")
        #expect(secrets.removed(from: "found \"long long lon\", a long way") == "found \"${SECRET_NOTE}\", a long way")
        #expect(
            secrets.removed(fromJSON: #"{"pin":123456,"text":"4242 \"1\"","n":1}"#)
                == #"{"pin":"${TOKEN}","text":"${CARD}","n":1}"#)
    }

    @Test func mistakes_showNoSecrets() {
        let env = "env: {PASSWORD: hunter2}\n"
        #expect(
            mistake(env + "steps:\n  - wait: 1ms\n    timeout: ${PASSWORD}")
                == "f.yml:4:14: Expected a time such as 300ms, 5s or 2m, found \"${PASSWORD}\".")
        #expect(!mistake(env + "components: {a: {b: ${PASSWORD}}}\nsteps: []").contains("hunter2"))
        #expect(!mistake(env + "steps:\n  - run: ${PASSWORD}.yml").contains("hunter2"))
    }

    /// A step that cannot be read without its secret.
    @Test func stepIsShownAsInItsFile_ifItsSecretHasAForm() throws {
        let flow = try Flow(
            YAMLFile(name: "f.yml", text: "env: {SECRET_TIME: 7ms}\nsteps:\n  - open: /\n    timeout: ${SECRET_TIME}"))
        #expect(flow.steps[0].text == #"{"open":"/","timeout":"${SECRET_TIME}"}"#)
    }

    @Test func failures_showNoSecretsOfOtherSteps() async throws {
        let failed = try await result(
            of: """
                env: {SECRET_TIME: 0.0071}
                steps:
                  - wait: ${SECRET_TIME}
                  - open: localhost:1/0.0071
                """)
        #expect(failed.failure?.found.contains("localhost:1/${SECRET_TIME}") == true)
        #expect(failed.failure.map { "\($0.expected)\($0.found)" }?.contains("0.0071") == false)
    }

    // MARK: Other files

    @Test func runTakesTheStepsOfAnotherFile() throws {
        try write(
            "flow.yml",
            """
            env: {NAME: Zoe}
            steps:
              - open: /
              - run: {file: shared/sign-in.yml, env: {EMAIL: "${NAME}@example.com"}}
              - run: plain.yml
            """)
        try FileManager.default.createDirectory(atPath: folder.path("shared"), withIntermediateDirectories: true)
        try write(
            "shared/sign-in.yml",
            "env: {EMAIL: nobody, ROLE: guest}\nsteps:\n  - open: /in?${EMAIL}&${ROLE}&${NAME}\n  - run: ../plain.yml")
        try write("plain.yml", "- open: /plain")
        let flow = try #require(try flows("flow.yml").first)
        #expect(
            (1...4).map { without(flow.place(ofStep: $0)) } == [
                "step 1, flow.yml:3: open /",
                "step 2, shared/sign-in.yml:3, run by flow.yml:4: open /in?Zoe@example.com&guest&Zoe",
                "step 3, shared/../plain.yml:1, run by shared/sign-in.yml:4, run by flow.yml:4: open /plain",
                "step 4, plain.yml:1, run by flow.yml:5: open /plain",
            ])
        #expect(flow.files.count == 4)
        let other = try flows("flow.yml", FlowInputs(commandLine: ["EMAIL": "line"], environment: [:]))
        #expect("\(other[0].steps[1].action)" == "open /in?line&guest&Zoe")
    }

    @Test func aFileThatRunsItself_isNamed() throws {
        try write("a.yml", "- open: /\n- run: b.yml")
        try write("b.yml", "steps:\n  - run: ./a.yml")
        let error = #expect(throws: YAMLError.self) { try flows("a.yml") }
        #expect(
            without("\(error.map { "\($0)" } ?? "")")
                == "b.yml:2:10: a.yml would run itself without end: a.yml → b.yml → a.yml.")
        try write("c.yml", "- run: none.yml")
        let missing = #expect(throws: YAMLError.self) { try flows("c.yml") }
        #expect(without("\(missing.map { "\($0)" } ?? "")").hasPrefix("c.yml:1:8: none.yml: Can't be read: "))
    }

    /// A step that gives a variable which the file does not read, as after a slip of the finger.
    @Test func runGivesOnlyWhatTheFileReads() throws {
        try write("in.yml", "env: {ROLE: guest}\nsteps:\n  - open: /in?${EMAIL}\n  - run: deep.yml")
        try write("deep.yml", "- open: /${DEEP}")
        try write("run.yml", "- run:\n    file: in.yml\n    env: {EMAIL: a, DEEP: b, ROLE: c}")
        #expect(try flows("run.yml")[0].variables == ["EMAIL", "DEEP", "ROLE"])
        try write("slip.yml", "- run: {file: in.yml, env: {EMAIL: a, DEEP: b, RLOE: c}}")
        let error = #expect(throws: YAMLError.self) { try flows("slip.yml") }
        #expect(
            without("\(error.map { "\($0)" } ?? "")")
                == "slip.yml:1:48: in.yml reads no ${RLOE}. Did you mean ROLE? It has DEEP, EMAIL, ROLE.")
        try write("plain.yml", "- open: /")
        try write("none.yml", "- run: {file: plain.yml, env: {A: 1}}")
        let none = #expect(throws: YAMLError.self) { try flows("none.yml") }
        #expect(none?.message.hasSuffix("plain.yml reads no ${A}. It has no variables.") == true)
    }

    /// Keys that have an effect only in a flow of its own.
    @Test(arguments: ["framework: android", "retries: 1", "tags: [smoke]", "repeat: [{A: 1}]"])
    func runFilesHaveNoKeysOfFlows(_ member: String) throws {
        try write("part.yml", "name: Part\n\(member)\nsteps: []")
        try write("whole.yml", "- run: part.yml")
        let error = #expect(throws: YAMLError.self) { try flows("whole.yml") }
        #expect(
            without("\(error.map { "\($0)" } ?? "")")
                == "whole.yml:1:8: part.yml has \(member.prefix { $0 != ":" }) in line 2, which only a flow of its own can "
                + "have: leave it out there, or run a file with only the steps that both need.")
        #expect(throws: Never.self) { try flows("part.yml") }
    }

    // MARK: Before and after

    /// Runs a flow without a page. A step `wait: 1ms` passes, and one that opens `localhost:1` fails at once.
    private func result(of text: String) async throws -> FlowResult {
        try write("hooks.yml", text)
        let runner = FlowRunner { _, engine, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            return try await BridgedApp(engine, server: BridgeServer(configuration))
        }
        return await runner.run(try flows("hooks.yml")[0], in: .driven(.chromium))
    }

    private func failures(of result: FlowResult) -> [String] {
        ([result.failure].compactMap(\.self) + result.laterFailures).map { without($0.place(in: result.flow)) }
    }

    @Test func afterRunsInAnyCase() async throws {
        let passing = try await result(of: "before:\n  - wait: 1ms\nsteps:\n  - wait: 2ms\nafter:\n  - wait: 3ms")
        #expect(passing.failure == nil)
        let both = """
            before:
              - wait: 1ms
            steps:
              - open: localhost:1
              - wait: 2ms
            after:
              - wait: 3ms
              - open: localhost:2
              - open: localhost:3
            """
        let failed = try await result(of: both)
        // The first failure is that of the flow. What follows in a list that has failed does not run.
        #expect(
            failures(of: failed) == ["step 2, hooks.yml:4: open localhost:1", "step 5, hooks.yml:8: open localhost:2"])
        let only = try await result(of: "steps:\n  - wait: 1ms\nafter:\n  - open: localhost:2")
        #expect(failures(of: only) == ["step 2, hooks.yml:4: open localhost:2"])
        #expect(PrettyReport.text(failed).contains("\n    after     then step 5, "))
        #expect(JUnitReport.text([failed]).contains("then step 5, "))
        #expect(TAPReport.text(failed, number: 1).contains("\n  after: \"then step 5, "))
        let json = try JSON.parse(JSONReport.text([failed]))
        #expect(json["flows"]?.elements.first?["failures"]?.count == 2)
    }

    /// The `after` of a file that another one runs belongs to that file's steps.
    @Test func afterOfAnotherFile_runsIfItsStepsBegan() async throws {
        try write("inner.yml", "steps:\n  - wait: 1ms\nafter:\n  - open: localhost:9")
        let inner = try await result(of: "steps:\n  - run: inner.yml\n  - wait: 1ms\nafter:\n  - open: localhost:2")
        #expect(
            failures(of: inner) == [
                "step 2, inner.yml:4, run by hooks.yml:2: open localhost:9", "step 4, hooks.yml:5: open localhost:2",
            ])
        let before = try await result(of: "steps:\n  - open: localhost:1\n  - run: inner.yml")
        #expect(failures(of: before) == ["step 1, hooks.yml:2: open localhost:1"])
        let cleaning = try await result(of: "steps:\n  - open: localhost:1\nafter:\n  - run: inner.yml\n  - wait: 1ms")
        #expect(
            failures(of: cleaning) == [
                "step 1, hooks.yml:2: open localhost:1", "step 3, inner.yml:4, run by hooks.yml:4: open localhost:9",
            ])
    }

    // MARK: Tables and tags

    @Test func eachRowIsAFlow_namedByItsValues() throws {
        try write(
            "login.yml",
            """
            name: Sign in
            tags: [smoke, slow]
            retries: 2
            repeat:
              - {EMAIL: zoe@example.com, PASSWORD: right, TITLE: Welcome}
              - {EMAIL: "", PASSWORD: wrong, TITLE: Sign in}
            steps:
              - open: /in?${EMAIL}&${PASSWORD}
              - expect app: {title: "${TITLE}"}
            """)
        let found = try flows("login.yml")
        #expect(
            found.map(\.name) == [
                "Sign in (EMAIL: zoe@example.com, PASSWORD: ${PASSWORD}, TITLE: Welcome)",
                "Sign in (EMAIL: , PASSWORD: ${PASSWORD}, TITLE: Sign in)",
            ])
        #expect(found.map { "\($0.steps[0].action)" } == ["open /in?zoe@example.com&right", "open /in?&wrong"])
        #expect(
            found.map { $0.fileName(in: .driven(.chromium), with: nil) } == ["login-1-chromium", "login-2-chromium"])
        #expect(found[0].tags == ["smoke", "slow"] && found[0].retries == 2)
        // A real app's process reads one row of the file again.
        let second = try Flow(YAMLFile(path: folder.path("login.yml")), row: 2)
        #expect(second.name == found[1].name)
    }

    /// What is not wanted need not be complete: a variable may be missing.
    @Test func stepsThatNobodyWants_areNotRead() throws {
        try write("wanted.yml", "tags: slow, nightly\nsteps:\n  - open: /${NOWHERE}")
        var asked: [String] = []
        let found = try Flow.all(in: YAMLFile(path: folder.path("wanted.yml"))) { name, _, tags in
            asked += [name] + tags
            return false
        }
        #expect(found.isEmpty && asked == ["wanted", "slow", "nightly"])
    }

    // MARK: Reports

    @Test func flakyFlowIsReported_inEachFormat() throws {
        let flow = try Flow(YAMLFile(name: "f.yml", text: "- open: /"))
        let place = FlowFailure.Place(number: 1, line: 1, text: "open /")
        let failed = FlowResult(
            flow: flow, engine: .driven(.chromium),
            failure: FlowFailure(step: place, expected: "a page", found: "<none>"),
            duration: .seconds(1))
        var flaky = FlowResult(flow: flow, engine: .driven(.chromium), duration: .seconds(2))
        flaky.earlier = [failed]
        let line = "run 1: step 1, f.yml:1: open /: expected a page; found <none>"
        #expect(PrettyReport.text(flaky) == "✓ f.yml: f (chromium, 2 s)\n    flaky     \(line)\n")
        #expect(PrettyReport.end([flaky]) == "1 passed; 1 passed only when it ran again (flaky).\n")
        #expect(TAPReport.text(flaky, number: 1) == "ok 1 - f.yml: f (chromium)\n# flaky: passed in run 2\n# \(line)\n")
        let junit = JUnitReport.text([flaky])
        #expect(junit.contains(#"failures="0" errors="0" skipped="0" flakes="1" "#))
        #expect(junit.contains(#"<flakyFailure message="Expected a page; found &lt;none&gt;.">run 1: "#))
        let json = try JSON.parse(JSONReport.text([flaky]))
        #expect(json["flaky"]?.wholeNumber == 1 && json["failed"]?.wholeNumber == 0)
        let reported = try #require(json["flows"]?.elements.first)
        #expect(reported["status"]?.string == "flaky")
        #expect(reported["earlierRuns"]?.elements.first?["found"]?.string == "<none>")
        var again = failed
        again.earlier = [failed]
        #expect(JUnitReport.text([again]).contains("<rerunFailure message="))
        #expect(PrettyReport.end([again]) == "1 of 1 failed.\n")
    }
}
