public import BridgeProtocol
import BridgeTraffic
public import BridgeYAML
public import EmulatedApp
import Foundation
import PathConfiguration

/// A test written in YAML: a list of steps (docs/test.md).
public struct Flow: Sendable {
    /// With the values of the row, if it has one.
    public let name: String
    /// The file's path, as messages show it.
    public let file: String
    /// The steps of `before`, `steps` and `after`, with those of other files in place of each `run`.
    public let steps: [Step]
    /// The releases that the flow is for; empty if it names none.
    public let frameworks: [Framework]
    /// Components without Swift that the emulated app has in this flow.
    public let components: [DeclaredComponent]
    public let tags: [String]
    /// How often the flow runs again if it fails.
    public let retries: Int
    /// The number of the row of `repeat` that the flow has its values from, from 1; nil if it has no table.
    public let row: Int?
    /// Those in all steps, which one step may put into a page that another one looks at.
    let secrets: FlowSecrets
    /// The names of the variables in the flow's files that can have a value from outside.
    public let variables: Set<String>
    /// The names of those that have their values from the row.
    public let variablesOfRow: Set<String>

    /// One step, and its line in the file.
    public struct Step: Sendable {
        public let action: Action
        public let line: Int
        /// Nil for the default, which depends on the action.
        public let timeout: Duration?
        /// Where else the step belongs.
        public internal(set) var origin = Origin()

        /// The step as results show it.
        public var text: String { origin.text ?? "\(action)" }
    }

    /// What a step has from the files around it.
    public struct Origin: Sendable {
        public internal(set) var file = ""
        /// The places of the `run` steps that led to the step, such as `flow.yml:4`, the outermost first.
        public internal(set) var callers: [String] = []
        /// The step without secrets; nil if it has none.
        var text: String?
        /// Nil unless the step cleans up.
        var cleanup: Cleanup?
    }

    /// A list of steps that run even after a failure, because of `after`.
    struct Cleanup: Sendable, Equatable {
        let id: Int
        /// The position of the first step that the list cleans up after. If it has not run, there is nothing to do.
        let first: Int
    }

    public enum Action: Sendable {
        case open(String, until: PageReadiness = .load)
        /// - Parameter equals: the expected value; nil for any value, even one that cannot be sent.
        case evaluate(String, equals: ScriptValue?)
        case expectMessage(MessagePattern)
        case expectNoMessage(MessagePattern)
        case expectRequests(ExpectedRequests)
        /// - Parameter code: that of the problem; nil for any.
        case expectNoProblem(code: String?)
        case stub(DeclaredStub)
        /// Answers events of a component in its place.
        case stubComponent(DeclaredComponent)
        case fault(Fault)
        /// Posts from the page, as its own scripts would.
        case post(handler: String, body: ScriptValue, reply: ExpectedReply)
        /// Does what a user does to an element of the page.
        case act(ElementAction)
        /// Expects what the page shows.
        case expectPage(PageExpectation)
        /// Expects a native part that the app shows beside the page.
        case expectNative(NativeExpectation)
        case wait(Duration)
        case waitUntil(String)
        /// An action of the emulated app, as for `app.perform`.
        /// - Parameter waits: whether the step ends only when the visit that the action begins is over.
        case perform(action: String, arguments: [String: String], waits: Bool = true)
        /// Expects the app's state to contain this subset.
        case expectState(ScriptValue)
    }

    /// Matches messages. A property that is nil matches anything.
    public struct MessagePattern: Sendable {
        public let handler: String?
        public let name: String?
        public let verdict: Verdict.Outcome?
        /// A subset of the body.
        public let match: ScriptValue?
    }

    public enum ExpectedReply: Sendable {
        /// Any value, but not a rejection.
        case anything
        case value(ScriptValue)
        /// A rejection whose message contains this text.
        case rejection(String)
    }

    /// The flow's file, and those that it runs.
    public let files: Set<String>

    /// The name of the files of a run, without an ending: `push-chromium`, or `push-chromium-ios@1.3` if flows run with
    /// several frameworks. A flow with a row has its number after the name. The name of the app's build comes last.
    public func fileName(
        in engine: TestBrowser, with framework: Framework?, _ binary: String? = nil
    ) -> String {
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        return [name, row.map(String.init), "\(engine)", framework?.name, binary?.replacing("/", with: "-")].compactMap(
            \.self
        ).joined(
            separator: "-")
    }

    /// - Parameter number: the number of the step, from 1.
    package func place(ofStep number: Int) -> String {
        guard steps.indices.contains(number - 1) else { return "before the first step" }
        let step = steps[number - 1]
        let callers = step.origin.callers.reversed().map { ", run by \($0)" }.joined()
        return TerminalText.escape("step \(number), \(step.origin.file):\(step.line)\(callers): \(step.text)")
    }
}

extension Flow.Action: CustomStringConvertible {
    /// The action as results show it, such as `tap #save`.
    public var description: String {
        switch self {
        case .open(let url, .load): "open \(url)"
        case .open(let url, let readiness): "open \(url) until \(readiness.rawValue)"
        case .evaluate(let script, nil): "evaluate \(script)"
        case .evaluate(let script, let value?): "evaluate \(script) equals \(value.json)"
        case .expectMessage(let pattern): "expect message \(pattern)"
        case .expectNoMessage(let pattern): "expect no message \(pattern)"
        case .expectRequests(let requests): "expect requests \(requests)"
        case .expectNoProblem(let code): "expect no problem\(code.map { " \($0)" } ?? "")"
        case .stub(let stub): "stub \(stub.handler)"
        case .stubComponent(let component): "stub \(component.name)"
        case .fault(let fault): "fault \(fault.kind.name.rawValue) \(fault.url)"
        case .post(let handler, let body, _): "post \(body.json) to \(handler)"
        case .act(let action): "\(action)"
        case .expectPage(let expectation): "expect \(expectation)"
        case .expectNative(let expectation): "expect \(expectation)"
        case .wait(let duration): "wait \(duration)"
        case .waitUntil(let expression): "wait \(expression)"
        case .perform(let action, let arguments, _):
            (["perform \(action)"] + arguments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        case .expectState(let state): "expect app \(state.json)"
        }
    }
}

extension Flow.MessagePattern: CustomStringConvertible {
    public var description: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("handler", ifPresent: handler)
            writer.member("name", ifPresent: name)
            writer.member("verdict", ifPresent: verdict?.rawValue)
            writer.member("match", ifPresent: match?.json)
        }
        return writer.text
    }
}
