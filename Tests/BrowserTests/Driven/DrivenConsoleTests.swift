import BridgeBrowsers
import BridgeProtocol
import BridgeTraffic
import TestSupport
import Testing

/// What pages print, in the engines whose console a driver can see.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenConsoleTests {
    private static let page = """
        <!doctype html><title>Console</title><script>
        function make(text, options) { return new Error(text, options) }
        console.error(make("the reason"))
        console.error("Not saved:", { error: make("inner") }, [make("listed")])
        console.error("%s!", make("formatted"))
        console.error(Object.assign(make("own name"), { name: "Failure" }))
        console.error(make("outer", { cause: make("cause") }))
        console.error(new AggregateError([make("first"), "second"], "all"))
        console.error("end")
        console.error(new DOMException("gone", "AbortError"))
        </script>
        """

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func errorsKeepTheirTexts(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, ["/": .init(html: Self.page)]) { window in
            // The engines give it different stacks, or none.
            let last = try await window.recorder.first { Self.text(of: $0)?.hasPrefix("AbortError: gone") == true }
            #expect(Self.text(of: last)?.hasPrefix("AbortError: gone\nAbortError") == false)
            let texts = window.recorder.records.compactMap { Self.text(of: $0) }.dropLast().map {
                $0.replacing(window.site.url, with: "").replacing(/\/:[0-9]+:[0-9]+/, with: "/")
            }
            let stack = "make@/\nglobal code@/"
            #expect(
                texts == [
                    "Error: the reason\n\(stack)",
                    "Not saved: {error: Error: inner\n\(stack)} [Error: listed\n\(stack)]",
                    "Error: formatted\n\(stack)!",
                    "Failure: own name\n\(stack)",
                    "Error: outer\n\(stack)\nCaused by: Error: cause\n\(stack)",
                    "AggregateError: all\nglobal code@/\nError 1 of 2: Error: first\n\(stack)\nError 2 of 2: \"second\"",
                    "end",
                ])
        }
    }

    private static func text(of record: TrafficRecord) -> String? {
        if case .console(let entry) = record.event { entry.text } else { nil }
    }
}
