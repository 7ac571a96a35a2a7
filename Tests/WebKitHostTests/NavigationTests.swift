import BridgeProcesses
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// Documents of WebKit itself, one after the other.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct NavigationTests {
    private let pages = [
        "/":
            "<!doctype html><title>First</title><script>addEventListener('pagehide', () => webkit.messageHandlers.log.postMessage('bye'))</script>",
        "/second":
            "<!doctype html><title>Second</title><script>webkit.messageHandlers.log.postMessage('hello')</script>",
        "/plain.txt": "text",
    ]

    @Test func eachDocumentIsAPage() async throws {
        try await withHostedWindow(pages, arguments: ["--user-agent", "Phone/1 (bridged)"]) { server in
            server.addHandler("log", .plain { _, _ in .handled })
        } _: { window in
            let first = try await window.page()
            #expect(first.engine?.rawValue == "webkit" && first.frame.isMainFrame)
            _ = try await window.recorder.first { _ in first.title == "First" && first.readyState == "complete" }
            #expect(first.status == 200 && first.userAgent == "Phone/1 (bridged)")
            #expect(window.site.requests[0].contains("User-Agent: Phone/1 (bridged)\r\n"))
            first.navigate(to: window.site.url("/second"))
            let second = try await window.page("/second")
            _ = try await window.recorder.first { $0.page == first.id && $0.event.kind == .page && !first.isAttached }
            _ = try await window.recorder.first { $0.page == second.id && $0.event.kind == .message }
            let log = window.recorder.records.compactMap { record -> String? in
                guard case .message(_, _, let body, _, _) = record.event else { return nil }
                return "\(record.page == first.id ? 1 : 2) \(body.string ?? "")"
            }
            #expect(log == ["1 bye", "2 hello"])
            second.navigate(.delta(-1))
            let again = try await window.recorder.first { record in
                record.page != first.id && window.server.pages.contains { $0.id == record.page && $0.url == first.url }
            }
            #expect(again.page != first.id)
        }
    }

    @Test func changesOfADocumentAreReported() async throws {
        try await withHostedWindow { window in
            let page = try await window.page()
            _ = try await page.value(of: "history.pushState(null, '', '/pushed'); document.title = 'Pushed'")
            _ = try await window.recorder.first { _ in page.url.hasSuffix("/pushed") && page.title == "Pushed" }
            #expect(window.server.pages.count == 1)
        }
    }

    @Test(arguments: ["about:blank", "data:text/html,<title>x</title>", "/plain.txt", "/missing"])
    func documentsOfEveryKindAttach(_ url: String) async throws {
        try await withHostedWindow(pages) { window in
            let url = url.hasPrefix("/") ? window.site.url(url) : url
            let first = try await window.page()
            first.navigate(to: url)
            let page = try await window.page(at: url)
            #expect(try await page.value(of: "1 + 1").number == 2)
        }
    }

    @Test func nothingIsLeft_ifTheParentEnds() async throws {
        try await withServer { server, address in
            let window = try await HostedWindow(server, address, try Site(pages), arguments: [])
            let page = try await window.page()
            let children = try SystemProcess.all(of: window.process.id)
            #expect(children.contains { $0.name.hasPrefix("WebKitWebProces") })
            #expect(try await window.process.end() == 0)
            _ = try await window.recorder.first { _ in !page.isAttached }
            for child in children {
                // The kernel ends them when their parent's sockets close.
                try await offThread { while !child.hasEnded { usleep(10_000) } }
            }
        }
    }

    @Test func saysWhyItCannotStart() async throws {
        let process = try HostProcess(["about:blank", "--daemon", "http://127.0.0.1:1", "--headless"], token: "x")
        #expect(try await process.firstLine().hasPrefix(#"{"error":""#))
        #expect(try await process.status() == 1)
    }
}
