import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer
@testable import BridgeTraffic

/// The frames that are gone when a web view shows another document.
@MainActor @Suite(.timeLimit(.minutes(4))) struct FrameTests {
    private func leave(_ page: PageClient, _ recorder: Recorder, _ id: String) async throws {
        page.close(1000)
        _ = try await recorder.first { $0.page == id && $0.isPage(.detached) }
    }

    /// A frame may attach before its document does, and may lose its connection before that.
    @Test func keepsFrame_whenItsDocumentAttachesLater() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (main, _) = try await PageClient.attach(port: address.port, document: "first")
            try await leave(main, recorder, "p1")
            let (frame, _) = try await PageClient.attach(port: address.port, document: "frame", isMainFrame: false)
            try await leave(frame, recorder, "p2")
            _ = try await PageClient.attach(port: address.port, document: "second")
            let (_, result) = try await PageClient.attach(
                port: address.port, document: "frame", resume: true, isMainFrame: false)
            #expect(result["resumed"]?.bool == true)
            #expect(result["page"]?.string == "p2")
        }
    }

    @Test func endsFrames_whenTheirDocumentIsReplaced() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (main, _) = try await PageClient.attach(port: address.port, document: "first")
            let (frame, _) = try await PageClient.attach(port: address.port, document: "frame", isMainFrame: false)
            try await leave(frame, recorder, "p2")
            try await leave(main, recorder, "p1")
            _ = try await PageClient.attach(port: address.port, document: "second")
            _ = try await recorder.first { $0.page == "p2" && $0.isPage(.gone) }
            #expect(server.pages.map(\.id) == ["p3"])
        }
    }
}

extension TrafficRecord {
    fileprivate func isPage(_ wanted: PageEvent) -> Bool {
        if case .page(let event) = event { event == wanted } else { false }
    }
}
