import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

/// Open panels, the back/forward list and PDFs of driven browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenPanelTests {
    private let pages = [
        "/": DrivenSite.Page(
            html: """
                <!doctype html><title>One</title><input type=file id=one><input type=file id=many multiple>
                <script>
                  const ended = (event) => webkit.messageHandlers.plain.postMessage(
                    event.type + " " + Array.from(event.target.files, (file) => file.name).join())
                  for (const input of [one, many]) input.onchange = input.oncancel = ended
                </script>
                """),
        "/two": .init(html: "<!doctype html><title>Two</title>"),
    ]

    /// Not in Firefox, which does not always announce a second panel.
    @Test(arguments: [BrowserEngine.chromium, .webkit].tried) func nativeCodeChoosesFiles(_ engine: BrowserEngine)
        async throws
    {
        let folder = try TemporaryFolder()
        let files = try ["a.txt", "b.txt"].map { name in
            let file = URL(fileURLWithPath: folder.path(name))
            try Data(name.utf8).write(to: file)
            return file
        }
        try await withDrivenWindow(engine, pages) { server in
            server.addHandler("plain", .plain { _, _ in .handled })
            server.defaultScope.dialogHandler = { dialog in
                #expect(dialog.kind == .openPanel)
                dialog.answer(.files(dialog.allowsMultipleSelection ? files : Array(files.prefix(1))))
            }
        } _: { window in
            let page = try await window.page()
            _ = try await page.value(of: "one.click()")
            #expect(try await window.messages(to: "plain", count: 1).last?.string == "change a.txt")
            _ = try await page.value(of: "many.click()")
            #expect(try await window.messages(to: "plain", count: 2).last?.string == "change a.txt,b.txt")
            #expect(try await page.call("return await many.files[1].text()").string == "b.txt")
        }
    }

    /// A browser without a window has no user who could answer.
    @Test(arguments: BrowserEngine.allCases.tried) func panelIsDismissed_withoutAnAnswer(_ engine: BrowserEngine)
        async throws
    {
        try await withDrivenWindow(engine, pages) { server in
            server.addHandler("plain", .plain { _, _ in .handled })
        } _: { window in
            _ = try await window.page().value(of: "one.click()")
            #expect(try await window.messages(to: "plain", count: 1).last?.string == "cancel ")
            let record = try await window.recorder.first { $0.event.kind == .problem }
            #expect("\(record)".contains("window.openPanel"))
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried) func documentBecomesAPDF(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            let pdf = try await withCheckedContinuation { continuation in
                page.command(.pdf) { continuation.resume(returning: $0) }
            }.get()
            let data = try #require(pdf.string.flatMap { Data(base64Encoded: $0) })
            #expect(data.starts(with: Data("%PDF-".utf8)))
        }
    }

    @Test(arguments: [BrowserEngine.chromium, .webkit].tried)
    func backForwardListIsThatOfTheBrowser(_ engine: BrowserEngine) async throws {
        var history: NavigationHistory?
        let lists = AsyncStream<NavigationHistory>.makeStream()
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.driverHandler = { message, _, reply in
                if case .historyChanged(let list) = message { lists.continuation.yield(list) }
                reply.decide(isAllowed: true)
            }
        } _: { window in
            let paths = { (list: NavigationHistory?) in
                list?.entries.map { String($0.url.dropFirst(window.site.url.count)) } ?? []
            }
            let page = try await window.page()
            _ = try await page.value(of: "location.href = '/two'; 0")
            let two = try await window.page("/two")
            _ = try await two.value(of: "history.pushState(null, '', '#part')")
            for await list in lists.stream {
                history = list
                if paths(list) == ["/", "/two", "/two#part"], list.index == 2 { break }
            }
            two.navigate(.delta(-2))
            for await list in lists.stream where list.index == 0 {
                #expect(paths(list) == ["/", "/two", "/two#part"])
                break
            }
            #expect(history?.entries.count == 3)
        }
    }
}
