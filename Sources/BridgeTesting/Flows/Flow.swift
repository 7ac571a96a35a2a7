public import BridgeProtocol
import BridgeTraffic
public import BridgeYAML
public import EmulatedApp
import Foundation
import PathConfiguration

/// A test written in YAML: a list of steps (docs/test.md).
public struct Flow: Sendable {
    public let name: String
    /// The file's path, as messages show it.
    public let file: String
    public let steps: [Step]
    /// The releases that the flow is for; empty if it names none.
    public let frameworks: [Framework]

    /// One step, and its line in the file.
    public struct Step: Sendable {
        public let action: Action
        public let line: Int
        /// Nil for the default, which depends on the action.
        public let timeout: Duration?
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
        case fault(Fault)
        /// Posts from the page, as its own scripts would.
        case post(handler: String, body: ScriptValue, reply: ExpectedReply)
        case tap(ElementTarget)
        case wait(Duration)
        case waitUntil(String)
        /// An action of the emulated app, as for `app.perform`.
        case perform(action: String, arguments: [String: String])
        /// Expects the emulated app's state to contain this subset.
        case expectApp(ScriptValue)
    }

    /// Matches messages. A property that is nil matches anything.
    public struct MessagePattern: Sendable {
        public let handler: String?
        public let name: String?
        /// An outcome, such as `handled`.
        public let verdict: String?
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

    /// The name of the files of a run, without an ending: `push-chromium`, or `push-chromium-ios@1.3` if flows run with
    /// several frameworks. The name of the app's build comes last.
    public func fileName(
        in engine: TestBrowser, with framework: Framework?, _ binary: String? = nil
    ) -> String {
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        return [name, "\(engine)", framework?.name, binary?.replacing("/", with: "-")].compactMap(\.self).joined(
            separator: "-")
    }

    /// - Parameter number: the number of the step, from 1.
    func place(ofStep number: Int) -> String {
        guard steps.indices.contains(number - 1) else { return "before the first step" }
        let step = steps[number - 1]
        return TerminalText.escape("step \(number), \(file):\(step.line): \(step.action)")
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
        case .fault(let fault): "fault \(fault.kind.name.rawValue) \(fault.url)"
        case .post(let handler, let body, _): "post \(body.json) to \(handler)"
        case .tap(let target): "tap \(target)"
        case .wait(let duration): "wait \(duration)"
        case .waitUntil(let expression): "wait \(expression)"
        case .perform(let action, let arguments):
            (["perform \(action)"] + arguments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                .joined(separator: " ")
        case .expectApp(let state): "expect app \(state.json)"
        }
    }
}

extension Flow.MessagePattern: CustomStringConvertible {
    public var description: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("handler", ifPresent: handler)
            writer.member("name", ifPresent: name)
            writer.member("verdict", ifPresent: verdict)
            writer.member("match", ifPresent: match?.json)
        }
        return writer.text
    }
}
