import BridgeProtocol
import Foundation

/// What tools do with the screen that shows a page: pictures, input, actions on elements, another size. On the main actor.
@MainActor struct ScreenMethods {
    let pages: PageWaiters
    let webViews: WebViews

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(SnapshotPage.self) { params, _ throws(RPCError) in
            let picture = try await command(
                .snapshot(), params.address, params.timeout, for: "take a picture of itself")
            let data = picture.string ?? ""
            return ControlResult(members: { $0.member("data", data) })
        }
        dispatcher.on(InputIntoPage.self) { params, _ throws(RPCError) in
            try await input(params)
            return .empty
        }
        dispatcher.on(ActOnElement.self) { params, _ throws(RPCError) in
            let note = try await act(params)
            return ControlResult(members: { $0.member("note", ifPresent: note) })
        }
        dispatcher.on(ExpectOfPage.self) { params, _ throws(RPCError) in
            try await expect(params)
            return .empty
        }
        dispatcher.on(EmulateScreen.self) { params, _ throws(RPCError) in
            _ = try await command(
                .emulate(params.emulation), params.address, params.timeout, for: "change their screen")
            return .empty
        }
        installCookies(in: dispatcher)
    }

    private func installCookies(in dispatcher: ControlDispatcher) {
        let purpose = "reach the cookies of its browser"
        dispatcher.on(ListCookies.self) { params, _ throws(RPCError) in
            let cookies = try await command(.allCookies, params.address, params.timeout, for: purpose).json
            return ControlResult(members: { $0.member("cookies", cookies) })
        }
        dispatcher.on(SetCookie.self) { params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, within: params.timeout, for: purpose)
            let cookie = try params.cookie(onPageOf: URLComponents(string: page.frame.url)?.host ?? "")
            _ = try await page.result(of: .setCookie(cookie)).mapError(\.rpcError).get()
            return .empty
        }
        dispatcher.on(ClearCookies.self) { params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, within: params.timeout, for: purpose)
            let cookies = try await page.result(of: .allCookies).mapError(\.rpcError).get().json.elements
            for cookie in cookies.map(BrowserCookie.init) where params.fits(cookie) {
                _ = try await page.result(of: .deleteCookie(cookie)).mapError(\.rpcError).get()
            }
            return .empty
        }
    }

    /// Finds or waits for a page in a driven browser, sends a command to its driver, and waits for the result.
    /// - Parameter purpose: what other pages cannot do.
    private func command(
        _ command: DriverCommand, _ address: PageAddress, _ timeout: Duration?, for purpose: String
    ) async throws(RPCError) -> ScriptValue {
        let page = try await drivenPage(at: address, within: timeout, for: purpose)
        return try await page.result(of: command).mapError(\.rpcError).get()
    }

    private func drivenPage(
        at address: PageAddress, within timeout: Duration?, for purpose: String
    ) async throws(RPCError) -> Page {
        let page = try await pages.page(at: address, within: timeout)
        guard page.isDriven else {
            throw .invalidRequest(
                "\(page.id) is in a browser that loads bridge.js, and a page cannot \(purpose). Show it with bridged open."
            )
        }
        return page
    }

    /// Waits for the actions on the page's elements that have begun, and then passes the input on. Inputs are so short that
    /// they need not wait for each other: the driver gets them in their order.
    private func input(_ params: InputIntoPage) async throws(RPCError) {
        let page = try await drivenPage(at: params.address, within: params.timeout, for: "take input from tools")
        let timeout = params.timeout ?? pages.usualTimeout
        let turn = GestureTurn()
        guard await turn.begin(in: page, before: .now + timeout) else {
            throw .waitTimedOut("Another tool's action in \(page.id) did not end", after: timeout)
        }
        let result = await withCheckedContinuation { continuation in
            page.command(.input(params.input)) { continuation.resume(returning: $0) }
            turn.end()
        }
        _ = try result.mapError(\.rpcError).get()
    }

    /// Acts on an element, for which it waits, also in the pages that replace the first one.
    /// - Returns: what the page has made of it, if that is something else.
    private func act(_ params: ActOnElement) async throws(RPCError) -> String? {
        let actions = actions(at: params.address, within: params.timeout)
        let outcome = try await throwingRPCErrors { try await actions.perform(params.action) }
        switch outcome {
        case .done: return nil
        case .changed(let note): return note
        case .missing:
            let element = params.action.element.map { "\($0)" } ?? ""
            let names = (try? await actions.names()) ?? []
            let shown = names.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
            let rest = names.isEmpty ? "The page shows no link, button or field." : "The page has \(shown)."
            throw .waitTimedOut("No element \(element) came", after: params.timeout, rest)
        case .unfinished(let progress):
            throw .waitTimedOut("Not all of the text was typed", after: params.timeout, "\(progress).")
        case .refused(let reason):
            throw RPCError(.invalidRequest, "No user can do this: \(params.action). Reason: \(reason).")
        }
    }

    private func expect(_ params: ExpectOfPage) async throws(RPCError) {
        let actions = actions(at: params.address, within: params.timeout)
        let found = try await throwingRPCErrors { try await actions.wait(for: params.expectation) }
        guard let found else { return }
        let rest = found.prefix(1).uppercased() + found.dropFirst() + "."
        throw .waitTimedOut("The page did not show \(params.expectation)", after: params.timeout, rest)
    }

    private func actions(at address: PageAddress, within timeout: Duration) -> ElementActions {
        let deadline = ContinuousClock.now + timeout
        return ElementActions(until: deadline, webViews) {
            try await pages.page(at: address, within: max(.zero, deadline - .now))
        }
    }

    private func throwingRPCErrors<Value>(_ body: () async throws -> Value) async throws(RPCError) -> Value {
        do { return try await body() } catch let error as RPCError { throw error } catch let error as ScriptError {
            throw error.rpcError
        } catch {
            throw .invalidRequest("\(error)")
        }
    }
}
