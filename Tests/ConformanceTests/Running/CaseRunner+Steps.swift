import Foundation
import PathConfiguration

extension CaseRunner {
    func runSteps() async throws -> [String: StepResult] {
        for step in recordedCase.steps ?? [] {
            if let result = try await run(step), let name = step.as { results[name] = result }
        }
        return results
    }

    /// - Returns: nil if the step has no result.
    private func run(_ step: RecordedCase.Step) async throws -> StepResult? {
        if step.do.hasPrefix("evaluate") || step.do.hasPrefix("callAsync") || step.do == "collect" {
            return try await runEvaluation(step)
        }
        switch step.do {
        case "load", "loadHTML", "reload", "goBack", "goForward", "stopLoading": await runLoad(step)
        case "page": return .page(try await runInPage(step.script ?? ""))
        case "pageAsync": return .page(try await answer("startAsync", step.script ?? ""))
        case "register":
            return .page(
                .bool(
                    native.register(RecordedCase.Handler(name: step.name ?? "", reply: step.reply, world: step.world))))
        case "unregister": native.unregister(step.name ?? "")
        case "addUserScript": native.add(RecordedCase.Script(source: step.source ?? "", at: step.at ?? "start"))
        case "terminate": native.terminate()
        case "removeAllUserScripts": native.removeAllUserScripts()
        case "replyHeld": replies.answerHeld(step.index, mode: step.mode ?? "echo")
        case "dropHeld": replies.dropHeld()
        case "mark": mark(step.text ?? "")
        default: return try await runWait(step)
        }
        return nil
    }

    private func runEvaluation(_ step: RecordedCase.Step) async throws -> StepResult? {
        switch step.do {
        case "evaluate":
            return .native(
                await evaluate(
                    step.script ?? "", sourceURL: step.sourceURL, world: step.world, timeoutMs: step.timeoutMs))
        case "evaluateNavigating":
            var result: NativeResult?
            await finishLoad { result = await evaluate(step.script ?? "") }
            return .native(result)
        case "callAsync":
            return .native(await callAsync(step.body ?? "", step.args, world: step.world, timeoutMs: step.timeoutMs))
        case "evaluateStart": started[step.as ?? ""] = startEvaluate(step.script ?? "", world: step.world)
        case "callAsyncStart": started[step.as ?? ""] = startCallAsync(step.body ?? "", step.args, world: step.world)
        case "callAsyncManyUntilOne": return .native(await callAsyncUntilOne(step))
        case "collect": return .native(await started[step.as ?? ""]?.wait(upTo: CaseRunner.time(step.timeoutMs)))
        default: throw Unsupported(description: "the step \(step.do)")
        }
        return nil
    }

    private func callAsyncUntilOne(_ step: RecordedCase.Step) async -> NativeResult? {
        let first = Later<NativeResult>()
        for _ in 0..<(step.count ?? 1) {
            native.callAsync(step.body ?? "", arguments: [:], world: nil) { first.set($0) }
        }
        return await first.wait(upTo: CaseRunner.time(step.timeoutMs))
    }

    private func runLoad(_ step: RecordedCase.Step) async {
        switch step.do {
        case "load": await load(step.url ?? "", wait: step.wait)
        case "loadHTML":
            await finishLoad {
                native.loadHTML(placeholders.fill(step.html ?? ""), baseURL: step.baseURL.map(placeholders.fill))
            }
        case "reload": await finishLoad { native.reload() }
        case "goBack": await finishLoad { native.goBack() }
        case "goForward": await finishLoad { native.goForward() }
        default: native.stopLoading()
        }
    }

    private func runWait(_ step: RecordedCase.Step) async throws -> StepResult? {
        let limit = CaseRunner.time(step.timeoutMs)
        let count = step.count ?? 1
        switch step.do {
        case "waitMs": try await Task.sleep(for: .milliseconds(step.ms ?? 0))
        case "waitMessages": await changes.wait(upTo: limit) { self.messageCount >= count }
        case "waitFinishedLoads": await changes.wait(upTo: limit) { self.finishedLoads >= count }
        // A page can't reach the memory or the processes of its engine.
        case "gc": break
        case "busy": block(.milliseconds(step.ms ?? 0))
        case "gapAtLeast": return .page(.bool(messageGap >= .milliseconds(step.ms ?? 0)))
        default: throw Unsupported(description: "the step \(step.do)")
        }
        return nil
    }

    /// Blocks the native main thread.
    private func block(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }
}
