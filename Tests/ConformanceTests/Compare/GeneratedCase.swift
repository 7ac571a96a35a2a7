/// A case made at random: one script, or a sequence of steps.
struct GeneratedCase: Sendable, Hashable {
    struct Step: Sendable, Hashable {
        /// The step's name, as in the recordings.
        let name: String
        var script: ScriptPart
    }

    /// The kind, as in the recordings. Only `steps` has more than one step.
    let kind: String
    var steps: [Step]
    var setting = Setting()

    /// What stands before the first step.
    struct Setting: Sendable, Hashable {
        struct Script: Sendable, Hashable {
            let source: String
            /// `start` or `end`.
            let at: String
            var world: String?
        }

        var page = "/index.html"
        var files: [String: String] = [:]
        /// The Content-Security-Policy of the files.
        var policy: String?
        var userScripts: [Script] = []
        /// The names of handlers beside those that every case has, and their worlds.
        var handlers: [String] = []
        var allowsJavaScript = true
        var text: String {
            guard self != Setting() else { return "" }
            let scripts = userScripts.map { "\($0.at)\($0.world.map { "@\($0)" } ?? ""): \($0.source)" }
            let files = files.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            let names = handlers.map { String($0.prefix(40)) }
            return "page \(page), policy \(policy ?? "none"), JavaScript \(allowsJavaScript), handlers \(names)\n    "
                + (files + scripts).joined(separator: "\n    ") + "\n    "
        }
    }

    init(_ kind: String, _ script: ScriptPart) {
        self.kind = kind
        steps = [Step(name: kind, script: script)]
    }

    init(steps: [Step], setting: Setting = Setting()) {
        kind = "steps"
        self.steps = steps
        self.setting = setting
    }

    /// The case in the format of the recordings. Its handlers are `nativeApp`, and `echo`, which replies.
    func recorded(as id: String) -> RecordedCase {
        var recorded = RecordedCase(
            id: id, group: kind, kind: kind, handlers: [.init(name: "nativeApp"), .init(name: "echo", reply: "echo")],
            page: setting.page, engineText: true, enginePosition: true, expect: [:])
        recorded.handlers += setting.handlers.map(GeneratedCase.handler)
        recorded.userScripts = setting.userScripts.map { .init(source: $0.source, at: $0.at, world: $0.world) }
        recorded.files = setting.files.mapValues { html in
            SiteFile(body: html, headers: setting.policy.map { ["Content-Security-Policy": $0] } ?? [:])
        }
        recorded.files?["/slow.html"] = SiteFile(body: "<!doctype html><title>slow</title>", delayMs: 300)
        if !setting.allowsJavaScript { recorded.settings = ["enable-javascript-markup": false] }
        let script = steps.first?.script.source
        switch kind {
        case "steps": recorded.steps = steps.indices.map { step(at: $0) }
        case "callAsync": recorded.body = script
        default: recorded.script = script
        }
        return recorded
    }

    /// - Parameter text: the name, and the world after an `@`. A handler whose name begins with `echo` replies.
    private static func handler(_ text: String) -> RecordedCase.Handler {
        let parts = text.split(separator: "@").map(String.init)
        let name = parts.first ?? ""
        return .init(
            name: name, reply: name.hasPrefix("echo") ? "slow-if-number" : nil, world: parts.dropFirst().first)
    }

    /// A step's name may have a world after an `@`.
    private func step(at index: Int) -> RecordedCase.Step {
        let text = steps[index].script.source
        let parts = steps[index].name.split(separator: "@").map(String.init)
        var step = RecordedCase.Step(do: parts[0], as: "step\(index + 1)", world: parts.dropFirst().first)
        switch step.do {
        case "register":
            let handler = GeneratedCase.handler(text)
            (step.name, step.reply, step.world) = (handler.name, handler.reply, handler.world)
        case "unregister": step.name = text
        case "waitMs": step.ms = Int(text)
        case "waitMessages", "waitFinishedLoads": (step.count, step.timeoutMs) = (Int(text), 1_000)
        case "stopLoading", "terminate": break
        case "loadAtOnce": step = RecordedCase.Step(do: "load", url: text, wait: "none")
        case "callAsync": step.body = text
        case "load": step.url = text
        case "loadHTML": (step.html, step.baseURL) = (text, "{ORIGIN}/")
        default: step.script = text
        }
        return step
    }

    /// The cases that are one change simpler: each lacks one step, or has a simpler script in one.
    var reductions: [GeneratedCase] {
        let fewer: [GeneratedCase] =
            steps.count < 2
            ? []
            : steps.indices.map { index in
                var rest = self
                rest.steps.remove(at: index)
                return rest
            }
        let shorter = steps.indices.flatMap { index in
            steps[index].script.reductions.map { script in
                var changed = self
                changed.steps[index].script = script
                return changed
            }
        }
        return fewer + shorter
    }

    /// The case as text for people.
    var text: String {
        setting.text + steps.map { "\($0.name): \($0.script.source)" }.joined(separator: "\n    ")
    }
}
