import BridgeProtocol

/// What tools do with the screen that shows a page: pictures, input, taps, another size. On the main actor.
@MainActor struct ScreenMethods {
    let pages: PageWaiters
    let deadlines: Deadlines

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(SnapshotPage.self) { params, _ throws(RPCError) in
            let picture = try await command(
                .snapshot(), params.address, params.timeout, for: "take a picture of itself")
            let data = picture.string ?? ""
            return ControlResult(members: { $0.member("data", data) })
        }
        dispatcher.on(InputIntoPage.self) { params, _ throws(RPCError) in
            _ = try await command(
                .input(params.input), params.address, params.timeout, for: "take input from tools")
            return .empty
        }
        dispatcher.on(TapElement.self) { params, _ throws(RPCError) in
            try await tap(params)
            return .empty
        }
        dispatcher.on(EmulateScreen.self) { params, _ throws(RPCError) in
            _ = try await command(
                .emulate(params.emulation), params.address, params.timeout, for: "change their screen")
            return .empty
        }
    }

    /// Finds or waits for a page in a driven browser, sends a command to its driver, and waits for the result.
    /// - Parameter purpose: what other pages cannot do.
    private func command(
        _ command: DriverCommand, _ address: PageAddress, _ timeout: Duration?, for purpose: String
    ) async throws(RPCError) -> ScriptValue {
        let page = try await pages.page(at: address, within: timeout)
        guard page.isDriven else {
            throw .invalidRequest(
                "\(page.id) is in a browser that loads bridge.js, and a page cannot \(purpose). Show it with bridged open."
            )
        }
        let result = await withCheckedContinuation { continuation in
            page.command(command) { continuation.resume(returning: $0) }
        }
        return try result.mapError(\.rpcError).get()
    }

    /// Taps on an element, for which it waits, also in the pages that replace the first one.
    private func tap(_ params: TapElement) async throws(RPCError) {
        let deadline = deadlines.now + params.timeout
        while true {
            let page = try await pages.page(at: params.address, within: max(.zero, deadline - deadlines.now))
            let outcome: Page.TapOutcome
            do throws(ScriptError) {
                outcome = try await page.tap(params.element, within: max(.zero, deadline - deadlines.now))
            } catch {
                if case .timedOut = error {
                    let missing = "No tap on \(params.element) was possible"
                    throw .waitTimedOut(missing, after: params.timeout, "A script in \(page.id) does not end.")
                }
                guard case .pageGone = error, case .webView = params.address, deadlines.now < deadline else {
                    throw error.rpcError
                }
                continue
            }
            switch outcome {
            case .tapped: return
            case .missing: throw .waitTimedOut("No element \(params.element) came", after: params.timeout)
            case .refused(let reason):
                throw RPCError(.invalidRequest, "No finger can tap on \(params.element): \(reason).")
            }
        }
    }
}
