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

    init(_ kind: String, _ script: ScriptPart) {
        self.kind = kind
        steps = [Step(name: kind, script: script)]
    }

    init(steps: [Step]) {
        kind = "steps"
        self.steps = steps
    }

    /// The case in the format of the recordings. Its handlers are `nativeApp`, and `echo`, which replies.
    func recorded(as id: String) -> RecordedCase {
        var recorded = RecordedCase(
            id: id, group: kind, kind: kind, handlers: [.init(name: "nativeApp"), .init(name: "echo", reply: "echo")],
            page: "/index.html", engineText: true, enginePosition: true, expect: [:])
        let script = steps.first?.script.source
        switch kind {
        case "steps": recorded.steps = steps.indices.map { step(at: $0) }
        case "callAsync": recorded.body = script
        default: recorded.script = script
        }
        return recorded
    }

    private func step(at index: Int) -> RecordedCase.Step {
        let text = steps[index].script.source
        var step = RecordedCase.Step(do: steps[index].name, as: "step\(index + 1)")
        switch step.do {
        case "register", "unregister": step.name = text
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
        steps.map { "\($0.name): \($0.script.source)" }.joined(separator: "\n    ")
    }
}
