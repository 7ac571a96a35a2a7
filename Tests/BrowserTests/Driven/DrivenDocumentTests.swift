import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// Pages of real browsers that bridged drives: they load no script of ours.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenDocumentTests {
    nonisolated static let engines = BrowserEngine.allCases.tried

    private func addHandlers(_ server: BridgeServer) {
        server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
        server.addHandler("refuse", .replying { _, _, reply in reply.reject("not today") })
        server.addHandler("plain", .plain { _, _ in .handled })
    }

    @Test(arguments: engines) func messagesArriveInOrder_andPromisesSettle(_ engine: BrowserEngine) async throws {
        let html = """
            <!doctype html><title>Messages</title><script>
            webkit.messageHandlers.plain.postMessage("first")
            for (let n = 1; n < 50; n++) webkit.messageHandlers.plain.postMessage(n)
            </script>
            """
        try await withDrivenWindow(engine, ["/": .init(html: html)], prepare: addHandlers) { window in
            let bodies = try await window.messages(to: "plain", count: 50)
            let numbers: [String] = (1..<50).map { "\($0)" }
            #expect(bodies.map(\.text) == [#""first""#] + numbers)
            let page = try await window.page()
            #expect(page.engine?.rawValue == engine.rawValue)
            let echoed = try await page.call("return await webkit.messageHandlers.echo.postMessage([NaN, new Date(5)])")
            #expect(echoed.text == #"["NaN","1970-01-01T00:00:00.005Z"] {"/0":"number","/1":"date"}"#)
            let refused = try await page.call(
                "return await webkit.messageHandlers.refuse.postMessage(1).catch(e => `${e}`)")
            #expect(refused.string == "Error: not today")
            let plain = try await page.call("return await webkit.messageHandlers.plain.postMessage(1)")
            #expect(plain.kind == .undefined)
        }
    }

    /// With these fields Chromium gives a page a process of its own when its answer comes. That process once lacked bridged's
    /// scripts in one window of six, if the former one had not confirmed them until then.
    @Test(arguments: engines) func pagesThatGetAnotherProcess_haveHandlers(_ engine: BrowserEngine) async throws {
        let page = DrivenSite.Page(
            html: "<!doctype html><title>Alone</title><script>webkit.messageHandlers.plain.postMessage(1)</script>",
            fields: ["Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Embedder-Policy: credentialless"])
        try await withDrivenWindow(engine, ["/": page], prepare: addHandlers) { window in
            for count in 1...12 {
                _ = try await window.messages(to: "plain", count: count)
                try await window.open("/", in: "window\(count)")
            }
        }
    }

    @Test(arguments: engines) func evaluationsHaveValues(_ engine: BrowserEngine) async throws {
        let values = [
            ("null", "null"), ("true", "true"), ("1.5", "1.5"), ("'text'", #""text""#),
            ("undefined", #"null {"":"undefined"}"#), ("-0", #""-0" {"":"number"}"#),
            ("[NaN, -0, Infinity]", #"["NaN","-0","Infinity"] {"/0":"number","/1":"number","/2":"number"}"#),
            ("new Date(5)", #""1970-01-01T00:00:00.005Z" {"":"date"}"#),
            ("var a = [1]; [a, a]", #"[[1],"/0"] {"/1":"ref"}"#), ("let lasting = 7; lasting", "7"), ("lasting", "7"),
            ("if (lasting) { 'completion' }", #""completion""#), ("navigator.userActivation.isActive", "true"),
        ]
        let page = DrivenSite.Page(html: "<!doctype html><title>Values</title>", policy: "default-src 'none'")
        try await withDrivenWindow(engine, ["/": page]) { window in
            let page = try await window.page()
            for (source, text) in values { #expect(try await page.value(of: source).text == text, "\(source)") }
            let sum = try await page.call("return await Promise.resolve(n + 1)", try ScriptValue(encoding: ["n": 4]))
            #expect(sum.number == 5)
            await #expect(throws: ScriptError.self) { try await page.value(of: "document.body") }
            await #expect(throws: ScriptError.self) { try await page.call("throw new Error('async')") }
        }
    }

    @Test(arguments: engines) func errorsHavePlaces(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: "<!doctype html><title>Errors</title>")]) { window in
            let page = try await window.page()
            let error = await #expect(throws: ScriptError.self) {
                try await page.value(of: "\n\n throw new TypeError('boom')", sourceURL: "app://script.js")
            }
            guard case .exception(let exception) = error else { throw try #require(error) }
            #expect(exception.message.contains("boom"))
            #expect(exception.line == 3)
            #expect(exception.sourceURL == "app://script.js")
            await #expect(throws: ScriptError.self) { try await page.value(of: "1 +* 2") }
        }
    }

    @Test(arguments: engines) func userScriptsRunInTime(_ engine: BrowserEngine) async throws {
        let html = "<!doctype html><title>x</title><script>var order = [typeof early]</script><p>"
        try await withDrivenWindow(engine, ["/": .init(html: html)]) { server in
            server.defaultScope.userScripts = [
                UserScript(
                    source: "var early = document.documentElement.outerHTML", injectionTime: .atDocumentStart,
                    forMainFrameOnly: false),
                UserScript(
                    source: "order.push(document.readyState)", injectionTime: .atDocumentEnd, forMainFrameOnly: false),
                UserScript(
                    source: "var early = 'tools'", injectionTime: .atDocumentStart, forMainFrameOnly: false,
                    world: "tools"),
            ]
        } _: { window in
            let page = try await window.page()
            _ = try await page.call(
                "if (document.readyState != 'complete') await new Promise(r => addEventListener('load', r))")
            #expect(try await page.value(of: "order").text == #"["string","interactive"]"#)
            #expect(try await page.value(of: "early").string == "<html></html>")
            #expect(try await page.value(of: "early", in: "tools").string == "tools")
        }
    }

    @Test(arguments: engines) func worldsAreApart(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: "<!doctype html><title>World</title>")]) { server in
            addHandlers(server)
            server.defaultScope.handlersInWorlds = [
                "tools": ["own": .replying { body, context, reply in reply.resolve(.string(context.world ?? "")) }]
            ]
        } _: { window in
            let page = try await window.page()
            _ = try await page.value(of: "window.shared = 2; document.title = 'changed'")
            let seen = try await page.value(of: "[typeof shared, document.title, typeof webkit]", in: "tools")
            #expect(seen.text == #"["undefined","changed","object"]"#)
            _ = try await page.value(of: "let mine = 3; window.kept = 4", in: "tools")
            #expect(try await page.value(of: "[mine, kept]", in: "tools").text == "[3,4]")
            #expect(try await page.value(of: "[typeof mine, typeof kept]").text == #"["undefined","undefined"]"#)
            #expect(try await page.value(of: "typeof kept", in: "another").string == "undefined")
            let world = try await page.call("return await webkit.messageHandlers.own.postMessage(1)", in: "tools")
            #expect(world.string == "tools")
            #expect(try await page.value(of: "typeof webkit.messageHandlers.own").string == "undefined")
        }
    }

    @Test(arguments: engines) func handlersChangeInTheDocumentThatIsShown(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: "<!doctype html><title>Later</title>")]) { window in
            let page = try await window.page()
            #expect(try await page.value(of: "typeof webkit").string == "undefined")
            window.server.addHandler("late", .replying { _, _, reply in reply.resolve(.string("there")) })
            #expect(try await page.call("return await webkit.messageHandlers.late.postMessage(1)").string == "there")
        }
    }

    @Test(arguments: engines) func policyOfThePageDoesNotMatter(_ engine: BrowserEngine) async throws {
        let html = """
            <!doctype html><title>Strict</title><script nonce="n">
            var handlers = [typeof webkit.messageHandlers.echo, window.ran]
            </script>
            """
        let policy = "default-src 'none'; script-src 'nonce-n'; sandbox allow-scripts"
        let page = DrivenSite.Page(html: html, policy: policy)
        try await withDrivenWindow(engine, ["/": page]) { server in
            addHandlers(server)
            server.defaultScope.userScripts = [
                UserScript(
                    source: "window.ran = 'yes'", injectionTime: .atDocumentStart, forMainFrameOnly: false)
            ]
        } _: { window in
            let page = try await window.page()
            // Chromium runs the script only after it has asked the driver.
            let ran = try await page.call("while (!window.ran) await new Promise(done => setTimeout(done)); return ran")
            #expect(ran.string == "yes")
            #expect(try await page.value(of: "handlers[0]").string == "object")
            if engine == .firefox { #expect(try await page.value(of: "handlers[1]").string == "yes") }
            #expect(try await page.call("return await webkit.messageHandlers.echo.postMessage(1)").number == 1)
        }
    }
}
