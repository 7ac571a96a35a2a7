import BridgeProtocol

/// Scripts over WebDriver BiDi. Firefox runs them as its debugger does: no policy of the page applies to them, nor to
/// what they compile; declarations last, and positions are the engine's own.
extension FirefoxContext {
    func install(_ settings: WebViewSettings) {
        guard webView?.isPopup == false else { return }
        browser.scripts.begin(settings, for: window.id, browser.connection)
    }

    func makeWorld(_ name: String, _ settings: WebViewSettings, failed: @escaping () -> Void) {
        connection.send(
            "script.callFunction",
            { writer in
                writer.member("functionDeclaration", browser.scripts.function(settings, world: name))
                writer.member("arguments", FirefoxScripts.arguments)
                writer.member(
                    "target",
                    object: { writer in
                        writer.member("context", id)
                        writer.member("sandbox", name)
                    })
                writer.member("awaitPromise", false)
            },
            completion: { result in
                if case .failure = result { failed() }
            })
    }

    /// `web/bridge/stacks.js` leaves this name out of stacks. Without a name, Firefox gives it that of the page.
    var functionName: String? { "bridged:function" }

    func run(
        _ program: String, name: String?, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        obeyPolicy(in: world)
        connection.send(
            "script.evaluate",
            { writer in
                writer.member("expression", name.map { "\(program)\n//# sourceURL=\($0)" } ?? program)
                writer.member("target", RealmTarget(realm: world.id))
                writer.member("awaitPromise", false)
                writer.member("resultOwnership", "root")
                writer.member("serializationOptions", SerializationOptions())
                writer.member("userActivation", true)
            },
            completion: { result in
                // Firefox fails if it has to describe an invalid date: it writes dates with `toISOString`.
                if case .failure(let error) = result, error.description.contains("invalid date") {
                    return completion(Result { try JSON.parse(#"{"result":{"type":"date"}}"#) }.mapError { _ in error })
                }
                completion(result)
            })
    }

    /// As in WebKit, `eval` in a script of native code throws if the page's policy forbids it. Other worlds have no policy.
    private func obeyPolicy(in world: ScriptWorld) {
        guard world.name == nil, !world.obeysPolicy else { return }
        world.obeysPolicy = true
        world.withBridge { [weak self] bridge in
            guard let self, let bridge else { return }
            call("obeyPolicy", of: bridge, [], in: world, awaits: false, completion: nil)
        }
    }

    func runUserScript(_ source: String, name: String, in world: ScriptWorld) {
        connection.send("script.evaluate") { writer in
            writer.member("expression", "\(source)\n//# sourceURL=\(name)")
            writer.member("target", RealmTarget(realm: world.id))
            writer.member("awaitPromise", false)
            writer.member("serializationOptions", SerializationOptions())
        }
    }

    /// Runs a program of the driver in a sandbox, where no page has replaced a function.
    func runApart(_ program: String, awaits: Bool = false, completion: BrowserCommands.Completion? = nil) {
        connection.send(
            "script.evaluate",
            { writer in
                writer.member("expression", program)
                writer.member("awaitPromise", awaits)
                writer.member(
                    "target",
                    object: { writer in
                        writer.member("context", id)
                        writer.member("sandbox", "bridged.driver")
                    })
            }, completion: completion)
    }

    /// The part of the document that is in BiDi's pictures, and how much smaller the window shows it: an array of five
    /// numbers in JSON. Nil if the document cannot be asked.
    func shownPart() async -> String? {
        let program = "[scrollX, scrollY, innerWidth, innerHeight, Math.min(1, visualViewport.scale)]"
        return await withCheckedContinuation { continuation in
            runApart("JSON.stringify(\(program))") {
                continuation.resume(returning: (try? $0.get())?["result"]?["value"]?.string)
            }
        }
    }

    func place(_ details: JSON, of script: (source: String, name: String?), in document: DrivenDocument) -> ScriptPlace
    {
        // A syntax error has no frame: its place is known in the page. Built-ins that are scripts have one.
        let frames = details["stackTrace"]?["callFrames"]?.elements ?? []
        let top = frames.first { !["self-hosted", "bridged:driven.js"].contains($0["url"]?.string) }
        let url = top?["url"]?.string ?? script.name ?? document.page?.url ?? ""
        // In WebKit, code that `eval` or `Function` has made is named so.
        let isMade = [" > eval", " > Function"].contains { url.hasSuffix($0) }
        return ScriptPlace(
            url: isMade ? "undefined" : url, line: top.map { 1 + ($0["lineNumber"]?.wholeNumber ?? 0) },
            column: 1 + (top?["columnNumber"]?.wholeNumber ?? 0))
    }

    func callAsync(
        _ function: JSON, _ arguments: ScriptValue, of bridge: String, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { arguments.write(to: &$0, key: "value") }
        let arguments = [BridgeArgument.remote(function), .text(writer.text)]
        call("callAsync", of: bridge, arguments, in: world, awaits: true, completion: completion)
    }

    func call(
        _ method: StaticString, of bridge: String, _ arguments: [BridgeArgument], in world: ScriptWorld, awaits: Bool,
        completion: ((Result<JSON, BrowserError>) -> Void)?
    ) {
        let target = RealmTarget(realm: world.id)
        let handles = arguments.compactMap(\.handle)
        connection.send(
            "script.callFunction",
            { writer in
                writer.member(
                    "functionDeclaration",
                    "function(a,b){return this.\(method)(a,b)\n//# sourceURL=bridged:driven.js\n}")
                writer.member("this", LocalValue.handle(bridge))
                writer.member("arguments", arguments.map(LocalValue.init))
                writer.member("target", target)
                writer.member("awaitPromise", awaits)
                writer.member("userActivation", awaits)
            },
            completion: { [connection] result in
                if !handles.isEmpty {
                    connection.send("script.disown") { writer in
                        writer.member("handles", handles)
                        writer.member("target", target)
                    }
                }
                completion?(result)
            })
    }
}

extension BridgeArgument {
    /// Firefox's name of the object, which it keeps until it is disowned.
    fileprivate var handle: String? { if case .remote(let value) = self { value["handle"]?.string } else { nil } }
}

extension LocalValue {
    fileprivate init(_ argument: BridgeArgument) {
        switch argument {
        case .text(let text): self = .text(text)
        case .remote(let value): self.init(value)
        }
    }
}

/// A realm as the target of a command (`script.Target`).
private struct RealmTarget: JSONWritable {
    let realm: String

    func write(to writer: inout JSONWriter) { writer.object { $0.member("realm", realm) } }
}
