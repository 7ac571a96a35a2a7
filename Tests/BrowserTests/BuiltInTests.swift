import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Tests a page that makes every built-in useless after `bridge.js` has run, before the page is connected.
///
/// `Tests/web/builtins.test.mjs` replaces one built-in after the other.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct BuiltInTests {
    private static let messages = 2_000

    @Test(arguments: Browser.Engine.allCases.tried)
    func pageWithoutBuiltIns_postsEvaluatesReconnectsAndLeaves(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let numbers = Numbers(server)
            server.addHandler("ask", .replying { _, _, reply in reply.resolve(ScriptValue(1)) })
            let proxy = try FaultyProxy(to: address.port, bytes: 20_000...60_000)
            let site = try PostingSite(page(daemon: proxy.port))
            let browser = try launch(engine, site.url)
            try await numbers.reach(Self.messages)
            let page = try #require(server.pages.first)
            #expect(try await page.evaluate("6 * 7").number == 42)
            #expect(try await page.evaluate("let kept = 5; kept + 1").number == 6)
            #expect(try await page.evaluate("replies").number == 1)
            let arguments = try ScriptValue(
                json: .parse(#"{"number":"NaN","text":"x"}"#), types: .parse(#"{"/number":"number"}"#))
            let answer: Result<ScriptValue, ScriptError> = try await waitForValue { continuation in
                page.callAsync("return number === number ? 0 : text", arguments: arguments) { continuation.yield($0) }
            }
            #expect(try answer.get().json.string == "x")
            let error = await #expect(throws: ScriptError.self) { try await page.evaluate("\n  null.missing") }
            guard case .exception(let exception) = error else { throw UnexpectedError(error: error) }
            #expect(exception.line == 2)
            page.navigate(to: "\(site.url)next")
            try await numbers.reach(Self.messages + 1)
            browser.close()
            #expect(numbers.all == Array(1...Self.messages + 1))
            #expect(proxy.cuts > 0)
        }
    }

    /// Posts numbers, and the last one when it unloads.
    private func page(daemon: UInt16) -> String {
        """
        <!doctype html><script src="http://127.0.0.1:\(daemon)/bridge.js"></script><script>
        const { post, ask } = webkit.messageHandlers
        const later = setTimeout
        let number = 0
        let replies = 0
        const step = () => {
            for (let times = 0; times < 20; times++) post.postMessage(++number)
            if (number < \(Self.messages)) later(step, 5)
        }
        const removeBuiltIns = () => {
            const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
            const found = []
            const seen = new Set()
            for (const name of ["UserMessageHandler", "UserMessageHandlersNamespace", "WebKitNamespace"]) {
                seen.add(window[name].prototype)
            }
            const visit = (holder) => {
                if (holder === null || !/^(object|function)$/.test(typeof holder) || seen.has(holder)) return
                seen.add(holder)
                for (const key of Reflect.ownKeys(holder)) {
                    const property = getOwnPropertyDescriptor(holder, key)
                    const { value, get, set, writable, configurable } = property
                    if ((configurable || writable) && (typeof value === "function" || get || set)) {
                        const changed = { __proto__: null, ...property }
                        found.push({ holder, key, changed })
                    }
                    visit(value)
                }
                visit(getPrototypeOf(holder))
            }
            visit(window)
            for (const hidden of [[].values(), new Map().values(), "".matchAll(/x/g), function* () {}]) visit(hidden)
            const makeReplacement = (key) => function () { throw key }
            for (let index = 0; index < found.length; index++) {
                const { holder, key, changed } = found[index]
                const replacement = makeReplacement(key)
                if (typeof changed.value === "function") changed.value = replacement
                if (changed.get) changed.get = replacement
                if (changed.set) changed.set = replacement
                try { defineProperty(holder, key, changed) } catch {}
            }
            const names = ["id", "method", "params", "result", "value", "type", "data", "toJSON", "then", "0", "1", "get", "set"]
            for (let index = 0; index < names.length; index++) {
                const replacement = makeReplacement(names[index])
                const accessor = { __proto__: null, get: replacement, set: replacement, configurable: true }
                defineProperty(Object.prototype, names[index], accessor)
            }
        }
        if (location.pathname === "/") {
            ask.postMessage(0).then((value) => { replies += value })
            addEventListener("pagehide", () => { post.postMessage(++number) })
            removeBuiltIns()
            step()
        }
        </script>
        """
    }
}
