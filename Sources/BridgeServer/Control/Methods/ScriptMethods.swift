import BridgeProtocol

/// Runs scripts of tools in pages. On the main actor.
@MainActor struct ScriptMethods {
    let pages: PageWaiters

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(EvaluateScript.self) { params, _ throws(RPCError) in
            try await run(params.address, timeout: params.timeout) { page, timeout, completion in
                page.evaluate(
                    params.source, sourceURL: nil, world: params.world, timeout: timeout, completion: completion)
            }
        }
        dispatcher.on(CallAsyncFunction.self) { params, _ throws(RPCError) in
            try await run(params.address, timeout: params.timeout) { page, timeout, completion in
                page.callAsync(
                    params.body, arguments: params.arguments, world: params.world, timeout: timeout,
                    completion: completion)
            }
        }
        dispatcher.on(WaitForCondition.self) { params, _ throws(RPCError) in
            try await wait(for: params)
            return .empty
        }
    }

    private func wait(for params: WaitForCondition) async throws(RPCError) {
        let deadline = ContinuousClock.now + params.timeout
        _ = try await pages.page(at: params.address, within: params.timeout)
        let wait = ConditionWait(params.condition, until: deadline) { pages.pageNow(at: params.address) }
        var found: String?
        do { found = try await wait.run() } catch {
            if let error = error as? ScriptError { throw error.rpcError }
            found = "the caller has left"
        }
        guard let found else { return }
        let rest = found.prefix(1).uppercased() + found.dropFirst() + "."
        throw .waitTimedOut("\(params.condition.forText) was not true", after: params.timeout, rest)
    }

    /// Finds or waits for a page, then starts a script in it.
    /// - Parameter timeout: limits the wait for the page and the script together.
    private func run(
        _ address: PageAddress, timeout: Duration?,
        _ start: @MainActor (Page, Duration?, @escaping EvaluationCompletion) -> Void
    ) async throws(RPCError) -> ControlResult {
        let begin = ContinuousClock.now
        let page = try await pages.page(at: address, within: timeout)
        let waited = Duration.milliseconds(((ContinuousClock.now - begin) / .milliseconds(1)).rounded(.down))
        let rest = timeout.map { max(.zero, $0 - waited) }
        let result = await withCheckedContinuation { continuation in
            ToolScripts.$areRunning.withValue(true) {
                start(page, rest) { continuation.resume(returning: $0) }
            }
        }
        return .value(try result.mapError(\.rpcError).get())
    }
}
