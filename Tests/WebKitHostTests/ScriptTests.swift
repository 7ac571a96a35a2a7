import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Messages and evaluations in WebKit itself.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct ScriptTests {
    private func addHandlers(_ server: BridgeServer) {
        server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
        server.addHandler("refuse", .replying { _, _, reply in reply.reject("not today") })
        server.addHandler("plain", .plain { _, _ in .handled })
    }

    @Test func everyKindOfValueCrossesBothWays() async throws {
        let values = [
            ("null", "null"), ("true", "true"), ("1.5", "1.5"), ("'text'", #""text""#),
            ("undefined", #"null {"":"undefined"}"#),
            ("[1, , undefined]", #"[1,null,null] {"/1":"undefined","/2":"undefined"}"#),
            ("[NaN, -0, Infinity]", #"["NaN","-0","Infinity"] {"/0":"number","/1":"number","/2":"number"}"#),
            ("new Date(5)", #""1970-01-01T00:00:00.005Z" {"":"date"}"#), ("new Date(NaN)", #"null {"":"date"}"#),
            ("'\\ud800'", #"[55296] {"":"utf16"}"#), ("'a\\0b'", #""a\u0000b""#),
            ("(() => { const o = {}; o.self = o; return o })()", #"{"self":""} {"/self":"ref"}"#),
            ("(() => { const a = [1]; return [a, a] })()", #"[[1],"/0"] {"/1":"ref"}"#),
            ("new Map([[1, 2]])", "{}"), ("1n", #"null {"":"undefined"}"#),
        ]
        try await withHostedWindow(prepare: addHandlers) { window in
            let page = try await window.page()
            for (source, text) in values {
                #expect(try await page.value(of: source).text == text)
                let echoed = try await page.call("return await webkit.messageHandlers.echo.postMessage(\(source))")
                #expect(echoed.text == text)
            }
        }
    }

    @Test func promisesAreSettledByTheDaemon() async throws {
        try await withHostedWindow(prepare: addHandlers) { window in
            let page = try await window.page()
            let reason = "webkit.messageHandlers.refuse.postMessage(1).catch(e => `${e}`)"
            #expect(try await page.call("return await \(reason)").string == "Error: not today")
            #expect(try await page.call("return await webkit.messageHandlers.plain.postMessage(1)").kind == .undefined)
            #expect(try await page.value(of: "Object.keys(webkit.messageHandlers).length").number == 0)
            let name = try await page.value(of: "webkit.messageHandlers.echo.constructor.name")
            #expect(name.string == "UserMessageHandler")
            let deep = "let v = []; for (let i = 0; i < 9000; i++) v = [v]; "
            let refusal = try await page.call(
                "\(deep) return await webkit.messageHandlers.echo.postMessage(v).catch(e => e.message)")
            #expect(refusal.string?.contains("more than 2000 levels") == true)
        }
    }

    /// WebKit reads a reply with the context in which it has given the message to this process. The collector of that
    /// context would free parts of a value which was made in another one.
    @Test func repliesOutliveTheCollector() async throws {
        try await withHostedWindow(prepare: addHandlers) { window in
            let body = """
                const { echo, plain } = webkit.messageHandlers
                const keys = Array.from({ length: 40 }, (_, index) => `key${index}`)
                const object = () => Object.fromEntries(keys.map(key => [key, { [key]: key }]))
                const garbage = Array.from({ length: 10_000 }, () => [])
                for (let round = 0; round < 30; round++) {
                  await plain.postMessage(garbage)
                  const reply = await echo.postMessage([object(), object()])
                  if (!keys.every(key => reply[1][key]?.[key] === key)) return reply
                }
                return "ended"
                """
            let page = try await window.page()
            #expect(try await page.call(body).string == "ended")
        }
    }

    @Test func argumentsOfEveryKindReachAFunction() async throws {
        try await withHostedWindow { window in
            let page = try await window.page()
            let plain = try value(#"{"a":1.5,"b":"x","c":"NaN"}"#, types: #"{"/c":"number"}"#)
            #expect(try await page.call("return [a, b, c]", plain).text == #"[1.5,"x","NaN"] {"/2":"number"}"#)
            let every = try value(
                #"{"a":true,"b":null,"c":[1],"d":"/c","e":"1970-01-01T00:00:00.000Z"}"#,
                types: #"{"/d":"ref","/e":"date"}"#)
            #expect(
                try await page.call("return [a, b, c === d, e, this === window]", every).text
                    == #"[true,null,true,"1970-01-01T00:00:00.000Z",true] {"/3":"date"}"#)
            await #expect(throws: ScriptError.self) { try await page.call("return a // x", every) }
            let prototype = try value(#"{"a":{"__proto__":{"x":1},"y":"[\"__proto__\"]:"}}"#)
            #expect(
                try await page.call("return [Object.keys(a), a.x, a.y]", prototype).text
                    == #"[["y"],1,"[\"__proto__\"]:"]"#)
        }
    }

    @Test func evaluationsRunInWorlds() async throws {
        try await withHostedWindow { window in
            let page = try await window.page()
            _ = try await page.value(of: "let mine = 1; window.shared = 2; document.title = 'changed'")
            #expect(try await page.value(of: "mine").number == 1)
            let seen = try await page.value(of: "[typeof mine, typeof shared, document.title]", in: "tools")
            #expect(seen.text == #"["undefined","undefined","changed"]"#)
            #expect(try await page.call("window.kept = 3; return n", try value(#"{"n":4}"#), in: "tools").number == 4)
            #expect(try await page.value(of: "kept", in: "tools").number == 3)
        }
    }

    @Test func errorsAreWebKits() async throws {
        try await withHostedWindow { window in
            let page = try await window.page()
            let url = window.site.url
            await #expect(throws: exception("Error: boom", line: 2, column: 24, url)) {
                try await page.value(of: "\nthrow new Error('boom')")
            }
            await #expect(
                throws: exception("SyntaxError: Unexpected end of script", line: 1, column: nil, "app://a.js")
            ) {
                try await page.value(of: "(", sourceURL: "app://a.js")
            }
            await #expect(throws: ScriptError.exception(JavaScriptException(message: "5"))) {
                try await page.call("throw 5")
            }
            await #expect(throws: ScriptError.resultTypeUnsupported("")) { try await page.value(of: "document.body") }
            await #expect(throws: ScriptError.resultTypeUnsupported("")) {
                try await page.value(of: "Promise.resolve(1)")
            }
        }
    }

    private func exception(_ message: String, line: Int, column: Int?, _ url: String) -> ScriptError {
        .exception(JavaScriptException(message: message, line: line, column: column, sourceURL: url))
    }

    @Test func handlersChangeInTheDocumentThatIsShown() async throws {
        try await withHostedWindow { window in
            let page = try await window.page()
            #expect(try await page.value(of: "typeof webkit").string == "undefined")
            window.server.addHandler(
                "late", .replying { _, context, reply in reply.resolve(.string(context.world ?? "")) })
            window.server.defaultScope.handlersInWorlds = [
                "tools": ["own": .replying { _, context, reply in reply.resolve(.string(context.world ?? "")) }]
            ]
            // The daemon says so before it sends the script.
            #expect(try await page.call("return await webkit.messageHandlers.late.postMessage(1)").string == "")
            let own = try await page.call("return await webkit.messageHandlers.own.postMessage(1)", in: "tools")
            #expect(own.string == "tools")
            window.server.removeHandler("late")
            #expect(try await page.value(of: "typeof webkit").string == "undefined")
        }
    }

    @Test func userScriptsRunAtTheirTimeInTheirWorld() async throws {
        let html = "<!doctype html><title>x</title><script>var order = [typeof early]</script><p>"
        try await withHostedWindow(["/": html]) { server in
            func script(_ source: String, atEnd: Bool = false, include: [String] = [], world: String? = nil)
                -> UserScript
            {
                UserScript(
                    source: source, injectionTime: atEnd ? .atDocumentEnd : .atDocumentStart, forMainFrameOnly: true,
                    includedPatterns: include, world: world)
            }
            server.defaultScope.userScripts = [
                script("var early = document.documentElement.outerHTML"),
                script("order.push(document.readyState)", atEnd: true),
                script("var early = 'tools'", world: "tools"),
                script("var here = 1", include: ["http://127.0.0.1/*"]),
                script("var elsewhere = 1", include: ["*://*.example.com/*"]),
            ]
        } _: { window in
            let page = try await window.page()
            #expect(try await page.value(of: "[early, ...order]").text == #"["<html></html>","string","interactive"]"#)
            #expect(try await page.value(of: "early", in: "tools").string == "tools")
            #expect(try await page.value(of: "[typeof here, typeof elsewhere]").text == #"["number","undefined"]"#)
        }
    }

    @Test func uncaughtErrorsAreRecorded() async throws {
        let html = """
            <!doctype html><img src=/missing><script>webkit.messageHandlers.plain.postMessage("first")
            webkit.messageHandlers.camra.postMessage(1)</script><script>Promise.reject(new RangeError("too far"))</script>
            """
        try await withHostedWindow(["/": html], prepare: addHandlers) { window in
            func entry(_ kind: ConsoleEntry.Kind) async throws -> ConsoleEntry? {
                let record = try await window.recorder.first {
                    if case .console(let entry) = $0.event { entry.kind == kind } else { false }
                }
                guard case .console(let entry) = record.event else { return nil }
                return entry
            }
            let exception = try #require(await entry(.exception))
            #expect(exception.text.hasPrefix("TypeError: undefined is not an object") && exception.line == 2)
            let rejection = try #require(await entry(.rejection))
            #expect(rejection.text == "RangeError: too far" && rejection.url == window.site.url)
            // The picture that does not load is no error of a script.
            #expect(window.recorder.records.count { $0.event.kind == .console } == 2)
            #expect(try await window.recorder.problem("handlerUndefined").text.contains("'camra'"))
        }
    }

    /// WebKitGTK's handlers do not say which frame has posted.
    @Test func messagesOfFramesAreReported() async throws {
        let pages = [
            "/": "<!doctype html><title>First</title>",
            "/frame": "<!doctype html><script>webkit.messageHandlers.plain.postMessage('framed')</script>",
        ]
        try await withHostedWindow(pages, prepare: addHandlers) { window in
            let page = try await window.page()
            _ = try await page.call("await webkit.messageHandlers.plain.postMessage('own')")
            #expect(try await window.message(to: "plain").string == "own")
            let source = """
                const frame = document.createElement("iframe")
                frame.src = "\(window.site.url.replacing("127.0.0.1", with: "localhost"))frame"
                document.body.append(frame)
                """
            _ = try await page.value(of: source)
            let problem = try await window.recorder.first { $0.event.kind == .problem }
            guard case .problem(let code, let text, _, _, _) = problem.event else { return }
            #expect(code == "frameUnknown")
            #expect(text.contains("A frame of http://localhost:") && text.contains("isMainFrame is true"))
            let framed = try await window.recorder.first { record in
                if case .message("plain", _, let body, _, _) = record.event { body.string == "framed" } else { false }
            }
            #expect(problem.record < framed.record)
        }
    }
}
