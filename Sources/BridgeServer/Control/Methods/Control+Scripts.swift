import BridgeProtocol

extension Control {
    func addScriptMethods() {
        dispatcher.on(EvaluateScript.self) { [unowned self] params, _ throws(RPCError) in
            try await run(params.address, timeout: params.timeout) { page, timeout, completion in
                page.evaluate(
                    params.source, sourceURL: nil, world: params.world, timeout: timeout, completion: completion)
            }
        }
        dispatcher.on(CallAsyncFunction.self) { [unowned self] params, _ throws(RPCError) in
            try await run(params.address, timeout: params.timeout) { page, timeout, completion in
                page.callAsync(
                    params.body, arguments: params.arguments, world: params.world, timeout: timeout,
                    completion: completion)
            }
        }
        dispatcher.on(WaitForCondition.self) { [unowned self] params, _ throws(RPCError) in
            try await wait(for: params)
            return .empty
        }
    }

    private func wait(for params: WaitForCondition) async throws(RPCError) {
        let deadline = ContinuousClock.now + params.timeout
        _ = try await pageWaiters.page(at: params.address, within: params.timeout)
        let wait = ConditionWait(params.condition, until: deadline) { [documents = parts.documents] in
            switch params.address {
            case .page(let id): documents.registry.page(withID: id)
            case .webView(let name): documents.registry.mainPage(of: name)
            }
        }
        var found: String?
        do { found = try await wait.run() } catch {
            if let error = error as? ScriptError { throw error.rpcError }
            found = "the caller has left"
        }
        guard let found else { return }
        let rest = found.prefix(1).uppercased() + found.dropFirst() + "."
        throw .waitTimedOut("\(params.condition.forText) was not true", after: params.timeout, rest)
    }

    /// Takes a picture of what a driven browser shows.
    func snapshot(_ params: SnapshotPage) async throws(RPCError) -> ControlResult {
        let page = try await drivenPage(at: params.address, timeout: params.timeout, for: "take a picture of itself")
        let data = try await command("page.snapshot", [], in: page).string ?? ""
        return ControlResult(members: { $0.member("data", data) })
    }

    /// Finds or waits for a page in a driven browser.
    /// - Parameter purpose: what other pages cannot do.
    func drivenPage(
        at address: PageAddress, timeout: Duration?, for purpose: String
    ) async throws(RPCError) -> Page {
        let page = try await pageWaiters.page(at: address, within: timeout ?? pageTimeout)
        guard page.isDriven else {
            throw .invalidRequest(
                "\(page.id) is in a browser that loads bridge.js, and a page cannot \(purpose). Show it with bridged open."
            )
        }
        return page
    }

    /// Sends a command to the driver of a page, and waits for its result.
    func command(
        _ method: String, _ params: [JSONValue.Member], in page: Page
    ) async throws(RPCError) -> ScriptValue {
        let result = await withCheckedContinuation { continuation in
            page.command(method, params) { continuation.resume(returning: $0) }
        }
        do throws(ScriptError) { return try result.get() } catch { throw error.rpcError }
    }

    /// Finds or waits for a page, then starts a script in it.
    /// - Parameter timeout: limits the wait for the page and the script together.
    private func run(
        _ address: PageAddress, timeout: Duration?,
        _ start: @MainActor (Page, Duration?, @escaping EvaluationCompletion) -> Void
    ) async throws(RPCError) -> ControlResult {
        let begin = ContinuousClock.now
        let page = try await pageWaiters.page(at: address, within: timeout ?? pageTimeout)
        let waited = Duration.milliseconds(((ContinuousClock.now - begin) / .milliseconds(1)).rounded(.down))
        let rest = timeout.map { max(.zero, $0 - waited) }
        let result = await withCheckedContinuation { continuation in
            ToolScripts.$areRunning.withValue(true) {
                start(page, rest) { continuation.resume(returning: $0) }
            }
        }
        do throws(ScriptError) {
            return .value(try result.get())
        } catch {
            throw error.rpcError
        }
    }
}
