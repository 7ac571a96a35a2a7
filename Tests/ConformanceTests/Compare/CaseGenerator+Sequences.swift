extension CaseGenerator {
    /// Evaluations, changes of handlers, frames and navigations, one after the other.
    mutating func sequence() -> [GeneratedCase.Step] {
        (0..<(number(upTo: 4) + 1)).map { _ in step() }
    }

    private mutating func step() -> GeneratedCase.Step {
        switch number(upTo: 12) {
        case 1...4: GeneratedCase.Step(name: "evaluate", script: program())
        case 5: GeneratedCase.Step(name: "callAsync", script: asyncBody())
        case 6: GeneratedCase.Step(name: "register", script: .text(random.pick(CaseGenerator.handlers)))
        case 7: GeneratedCase.Step(name: "unregister", script: .text(random.pick(CaseGenerator.handlers)))
        case 8, 9: GeneratedCase.Step(name: "evaluate", script: .text(random.pick(CaseGenerator.frames)))
        case 10: GeneratedCase.Step(name: "evaluate", script: .text(random.pick(CaseGenerator.looks)))
        case 11: GeneratedCase.Step(name: random.pick(["reload", "goBack", "goForward"]), script: "")
        default: navigation()
        }
    }

    private mutating func navigation() -> GeneratedCase.Step {
        if chance(50) {
            return GeneratedCase.Step(
                name: "load", script: .text(random.pick(["/index.html", "/index.html#a", "/index.html?b"])))
        }
        return GeneratedCase.Step(name: "loadHTML", script: .text(random.pick(CaseGenerator.documents)))
    }

    private static let handlers = ["nativeApp", "echo", "other", "a.b", "then", "0"]

    private static let looks = [
        "typeof webkit + typeof window.webkit?.messageHandlers",
        "Object.getOwnPropertyNames(webkit.messageHandlers).sort()",
        "typeof webkit.messageHandlers.other", "window.kept = webkit.messageHandlers.nativeApp; 1",
        "kept === webkit.messageHandlers.nativeApp",
        "kept.postMessage('kept').catch((e) => { window.caught = e.name }); 1", "window.caught",
        "webkit.messageHandlers.nativeApp.postMessage(location.href)", "history.length",
        "history.pushState(1, '', '/pushed'); 1",
        "location.hash = 'h'; 1", "document.referrer",
        "addEventListener('pagehide', () => webkit.messageHandlers.nativeApp.postMessage('hide')); 1",
        "addEventListener('beforeunload', () => webkit.messageHandlers.nativeApp.postMessage('before')); 1",
        "addEventListener('pageshow', (e) => webkit.messageHandlers.nativeApp.postMessage(e.persisted)); 1",
        "document.visibilityState",
        "webkit.messageHandlers.echo.postMessage(1).then((v) => { window.echoed = v }); 1", "window.echoed",
        "document.readyState",
    ]

    private static let frames = [
        "(() => { const f = document.createElement('iframe'); document.body.append(f); window.f = f; return typeof f.contentWindow.webkit })()",
        "f.contentWindow.webkit === webkit", "f.contentWindow.webkit.messageHandlers.nativeApp.postMessage('frame'); 1",
        "f.remove(); 1",
        "(() => { const f = document.createElement('iframe'); f.srcdoc = '<script>webkit.messageHandlers.nativeApp.postMessage(1)</script>'; document.body.append(f); return 1 })()",
        "(() => { const f = document.createElement('iframe'); f.src = '/index.html'; document.body.append(f); return 1 })()",
        "f.contentDocument.open(); f.contentDocument.write('<p>'); f.contentDocument.close(); typeof f.contentWindow.webkit",
        "frames.length", "document.open(); document.write('<p id=written>'); document.close(); typeof webkit",
        "document.body.innerHTML",
        "f.contentWindow.eval('webkit.messageHandlers.nativeApp.postMessage({ a: [1] })'); 1",
        "f.contentWindow.Object === Object",
    ]

    private static let documents = [
        "<p>plain</p>", "<script>webkit.messageHandlers.nativeApp.postMessage('inline')</script>", "<title>T</title>",
        "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\"><p>strict</p>", "",
        "<body onload=\"webkit.messageHandlers.nativeApp.postMessage('load')\">",
    ]
}
