import BridgeProtocol
import Foundation

/// A window's main frame or a child frame in Chromium.
@MainActor final class ChromiumFrame: BrowserFrame {
    let id: String
    /// The target forgets its frames when it ends.
    let target: ChromiumTarget
    var document: DrivenDocument?
    var url = ""
    /// The id of the frame around this frame.
    var parent: String?
    var parentFrame: (any BrowserFrame)? { parent.flatMap { target.frames[$0] } }
    var isMainFrame: Bool { target.isWindow && target.isMainFrame(id) }

    init(_ id: String, in target: ChromiumTarget) {
        self.id = id
        self.target = target
    }

    // MARK: Scripts

    func install(_ settings: WebViewSettings, for webView: DrivenWebView) { target.install(settings) }

    func makeWorld(_ name: String, _ settings: WebViewSettings, failed: @escaping () -> Void) {
        target.send("Page.createIsolatedWorld") { writer in
            writer.member("frameId", id)
            writer.member("worldName", name)
        } completion: { [weak target] result in
            guard let target, case .success(let json) = result, let id = json["executionContextId"]?.wholeNumber else {
                return failed()
            }
            target.startDriver(inWorld: name, settings, context: id)
        }
    }

    var functionName: String? { nil }

    func run(
        _ program: String, name: String?, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        target.send(
            "Runtime.evaluate",
            { writer in
                writer.member("expression", name.map { "\(program)\n//# sourceURL=\($0)" } ?? program)
                writer.member("uniqueContextId", world.id)
                writer.member("userGesture", true)
                writer.member("silent", true)
                writer.member("allowUnsafeEvalBlockedByCSP", false)
            }, completion: completion)
    }

    func runUserScript(_ source: String, name: String, in world: ScriptWorld) {
        target.send("Runtime.evaluate") { writer in
            writer.member("expression", "\(source)\n//# sourceURL=\(name)")
            writer.member("uniqueContextId", world.id)
        }
    }

    func place(_ details: JSON, of script: (source: String, name: String?), in document: DrivenDocument) -> ScriptPlace
    {
        // A script that names itself is named only in the stack.
        let top = details["stackTrace"]?["callFrames"]?.elements.first
        let urls = [top?["url"]?.string, details["url"]?.string, script.name, document.page?.url]
        let lines = script.source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        // In WebKit, code that `eval` or `Function` has made is named so.
        let isMade = top?["url"]?.string == ""
        return ScriptPlace(
            url: isMade ? "undefined" : urls.compactMap(\.self).first { !$0.isEmpty } ?? "",
            line: min(top == nil ? lines : .max, 1 + (details["lineNumber"]?.wholeNumber ?? 0)),
            column: 1 + (details["columnNumber"]?.wholeNumber ?? -1))
    }

    /// Chromium lets a function that DevTools calls use `eval` under any policy, but not one that a script calls. A page can
    /// find the name of that script's function while it waits, and has no other use for it.
    func callAsync(
        _ function: JSON, _ arguments: ScriptValue, of bridge: String, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void
    ) {
        let name = ChromiumTarget.randomName()
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            arguments.write(to: &writer, key: "value")
        }
        call("prepare", of: bridge, [.remote(function), .text(writer.text)], in: world, awaits: false, completion: nil)
        target.asyncCalls.begin { [weak target] in target?.send("HeapProfiler.collectGarbage") }
        target.send(
            "Runtime.evaluate",
            { writer in
                writer.member("expression", "globalThis.\(name)()\n\(ChromiumTarget.ownName)")
                writer.member("uniqueContextId", world.id)
                writer.member("userGesture", true)
                writer.member("silent", true)
                writer.member("awaitPromise", true)
                writer.member("returnByValue", true)
                writer.member("allowUnsafeEvalBlockedByCSP", false)
            },
            completion: { [asyncCalls = target.asyncCalls] result in
                asyncCalls.end()
                completion(result)
            })
    }

    func call(
        _ method: StaticString, of bridge: String, _ arguments: [BridgeArgument], in world: ScriptWorld, awaits: Bool,
        completion: ((Result<JSON, BrowserError>) -> Void)?
    ) {
        let arguments = arguments.map(CallArgument.init)
        target.send(
            "Runtime.callFunctionOn",
            { writer in
                writer.member("functionDeclaration", "function(a,b){return this.\(method)(a,b)}")
                writer.member("objectId", bridge)
                writer.member("arguments", arguments)
                writer.member("returnByValue", true)
                writer.member("silent", true)
                writer.member("userGesture", completion != nil)
                writer.member("awaitPromise", awaits)
            }, completion: completion)
        for argument in arguments {
            guard let id = argument.objectID else { continue }
            target.send("Runtime.releaseObject") { $0.member("objectId", id) }
        }
    }

    // MARK: Navigations

    func navigate(_ navigation: PageNavigation) {
        switch navigation {
        case .url(let url):
            guard !target.failsAsUnknown(url, "other", id) else { return }
            document?.expectLeaving(by: "push")
            target.send("Page.navigate") { writer in
                writer.member("url", url)
                writer.member("frameId", id)
                writer.member("transitionType", ChromiumTarget.transition)
            } completion: { [weak self] result in
                guard let self, case .success(let json) = result, let text = json["errorText"]?.string else { return }
                target.navigationFailed(url, text, target.mainPage ?? document?.page)
            }
        case .reload:
            document?.expectLeaving(by: "reload")
            target.send("Page.reload")
        case .delta(let steps):
            document?.expectLeaving(by: "traverse")
            target.send("Page.getNavigationHistory", completion: { [weak self] in self?.move(by: steps, $0) })
        }
    }

    private func move(by steps: Int, _ history: Result<JSON, BrowserError>) {
        guard case .success(let json) = history, let current = json["currentIndex"]?.wholeNumber,
            let entries = json["entries"]?.elements
        else { return }
        let (index, overflows) = current.addingReportingOverflow(steps)
        guard !overflows, entries.indices.contains(index), let id = entries[index]["id"]?.wholeNumber else { return }
        target.send("Page.navigateToHistoryEntry") { $0.member("entryId", id) }
    }
}

/// A value for a function in the page (`Runtime.CallArgument`).
private struct CallArgument: JSONWritable {
    private let argument: BridgeArgument

    init(_ argument: BridgeArgument) { self.argument = argument }

    /// Chromium's name of the object, which it keeps until the name is released.
    var objectID: String? { if case .remote(let object) = argument { object["objectId"]?.string } else { nil } }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch argument {
            case .text(let text): writer.member("value", text)
            case .remote(let object):
                if object["type"]?.string == "undefined" { return }
                if let objectID {
                    writer.member("objectId", objectID)
                } else if let text = object["unserializableValue"]?.string {
                    writer.member("unserializableValue", text)
                } else {
                    writer.member("value", object["value"] ?? .null)
                }
            }
        }
    }
}
