import BridgeProtocol
import Foundation

/// Evaluations by the browser's driver: no policy of the page applies to them, declarations last, and positions are the
/// engine's own.
extension DrivenDocument {
    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        withWorld(script.world) { [self] world in
            guard let world else { return completion(.failure(.pageGone(""))) }
            // As in WebKit. If native code forbids the page's scripts, it may still run its own.
            guard runsScripts || !webView.settings.allowsContentScripts else {
                let message = "Cannot execute JavaScript in this document"
                return completion(.failure(.exception(JavaScriptException(message: message, line: 0, column: 0))))
            }
            switch script.program {
            case .script(let source, let name): evaluate(source, name, in: world, completion)
            case .asyncFunction(let body, let arguments): callAsync(body, arguments, in: world, completion)
            }
        }
    }

    /// The name under which a script runs: that which native code gives it, or the document's URL. As in WebKit, the
    /// script's own name for itself does not count. The name stands in a comment, where it can have no spaces.
    private func scriptName(_ name: String?) -> String? {
        let name = name.flatMap { URL(string: $0)?.scheme == nil ? nil : $0 } ?? currentURL
        return name.isEmpty || name.contains(where: \.isWhitespace) ? nil : name
    }

    private func evaluate(
        _ source: String, _ name: String?, in world: ScriptWorld,
        _ completion: @escaping @MainActor (EvaluationResult) -> Void
    ) {
        frame.run(source, name: scriptName(name), in: world) { [self] result in
            guard case .success(let json) = result else { return completion(.failure(.pageGone(""))) }
            if let details = json["exceptionDetails"] {
                let place = frame.place(details, of: (source, scriptName(name)), in: self)
                let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
                describe(details, at: place, of: lines, in: world, completion)
            } else if let remote = json["result"] {
                encode(remote, in: world, completion)
            } else {
                completion(.failure(.pageGone("")))
            }
        }
    }

    /// Makes the value of a remote object. Simple values are in the answer; `web/driven.js` writes all others.
    private func encode(
        _ remote: JSON, in world: ScriptWorld, _ completion: @escaping @MainActor (EvaluationResult) -> Void
    ) {
        if let value = ScriptValue(simple: remote) { return completion(.success(.value(value))) }
        ask("encode", [.remote(remote)], in: world) {
            completion($0.map(EvaluationResult.init) ?? .failure(.pageGone("")))
        }
    }

    /// If the document leaves while the function runs, `completion` is not called: the daemon ends the evaluation when it
    /// hears that the page is gone.
    private func callAsync(
        _ body: String, _ arguments: ScriptValue, in world: ScriptWorld,
        _ completion: @escaping @MainActor (EvaluationResult) -> Void
    ) {
        // As in WebKit, the names and the body are put into the source as they are.
        var names: [String] = []
        arguments.json.forEachMember { name, _ in names.append(name) }
        let program = "(async function(\(names.joined(separator: ","))){\(body)})"
        frame.run(program, name: frame.functionName, in: world) { [self] result in
            guard case .success(let json) = result else { return completion(.failure(.pageGone(""))) }
            // WebKit gives no place for this function.
            if let details = json["exceptionDetails"] {
                return describe(details, at: nil, of: 0, in: world, completion)
            }
            world.withBridge { [frame] bridge in
                guard let bridge, let function = json["result"] else { return completion(.failure(.pageGone(""))) }
                frame.callAsync(function, arguments, of: bridge, in: world) { result in
                    guard let text = (try? result.get())?["result"]?["value"]?.string else { return }
                    completion(EvaluationResult(driven: text))
                }
            }
        }
    }

    /// Describes an exception, and tells the page's `onerror` about it.
    /// - Parameter lines: how many lines the script has.
    private func describe(
        _ details: JSON, at place: ScriptPlace?, of lines: Int, in world: ScriptWorld,
        _ completion: @escaping @MainActor (EvaluationResult) -> Void
    ) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("filename", place?.url ?? page?.url ?? "")
            writer.member("lineno", place?.line ?? 0)
            writer.member("colno", place?.column ?? 0)
            writer.member("lines", place != nil && place?.line == nil ? lines : 0)
        }
        ask("exception", [.remote(details["exception"] ?? .null), .text(writer.text)], in: world) { text in
            let error = text.flatMap { try? JSON.parse($0) }
            completion(
                .failure(
                    .exception(
                        JavaScriptException(
                            name: error?["name"]?.string ?? "",
                            message: error?["message"]?.string ?? details["text"]?.string ?? "",
                            line: error?["line"]?.wholeNumber ?? place?.line ?? 0, column: place?.column ?? 0,
                            sourceURL: place?.url,
                            stack: error?["stack"]?.string))))
        }
    }

    /// Calls a method of `web/driven.js` that returns text; `completion` gets nil if there is none.
    private func ask(
        _ method: StaticString, _ arguments: [BridgeArgument], in world: ScriptWorld,
        _ completion: @escaping (String?) -> Void
    ) {
        world.withBridge { [frame] bridge in
            guard let bridge else { return completion(nil) }
            frame.call(method, of: bridge, arguments, in: world, awaits: false) { result in
                completion((try? result.get())?["result"]?["value"]?.string)
            }
        }
    }
}

extension ScriptValue {
    /// Reads a value that is complete in the browser's description of it; nil for all others.
    fileprivate init?(simple remote: JSON) {
        switch remote["type"]?.string {
        case "undefined": self = .undefined
        case "null": self = .null
        case "object" where remote["subtype"]?.string == "null": self = .null
        // Firefox describes every other date by a handle.
        case "date" where remote["handle"] == nil: self = .date(Date(timeIntervalSince1970: .nan))
        case "boolean", "string":
            // It may stand for half of a surrogate pair, which the browser cannot write.
            guard let value = remote["value"], value.string?.contains("\u{FFFD}") != true else { return nil }
            try? self.init(json: value)
        case "number":
            // BiDi writes NaN, -0 and the infinities as strings, and DevTools under another key.
            guard let value = remote["value"], value.string == nil, remote["unserializableValue"] == nil else {
                return nil
            }
            try? self.init(json: value)
        default: return nil
        }
    }
}
