import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// The camera and the microphone of driven browsers. A browser without a window has a camera that shows a test picture.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenMediaTests {
    private let pages = ["/": DrivenSite.Page(html: "<!doctype html><title>One</title>")]

    private static func ask(_ constraints: String) -> String {
        """
        try {
          const stream = await navigator.mediaDevices.getUserMedia(\(constraints))
          return stream.getTracks().map((track) => track.kind).sort().join()
        } catch (error) {
          return error.name
        }
        """
    }

    @Test(arguments: BrowserEngine.allCases.tried) func nativeCodeGrantsWhatThePageAsksFor(_ engine: BrowserEngine)
        async throws
    {
        var asked: [[CaptureDevice]] = []
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.dialogHandler = { dialog in
                #expect(dialog.kind == .mediaCapture)
                asked.append(dialog.devices)
                dialog.answer(.accept)
            }
        } _: { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask("{ audio: true, video: true }")).string == "audio,video")
            #expect(asked == [[.camera, .microphone]])
            #expect(try await page.call(Self.ask("{}")).string == "TypeError")
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried) func nativeCodeDenies(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.dialogHandler = { $0.answer($0.devices == [.camera] ? .dismiss : .accept) }
        } _: { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask("{ video: true }")).string == "NotAllowedError")
            #expect(try await page.call(Self.ask("{ audio: true }")).string == "audio")
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried) func pageIsDenied_withoutAnAnswer(_ engine: BrowserEngine)
        async throws
    {
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask("{ video: true }")).string == "NotAllowedError")
            let record = try await window.recorder.first { $0.event.kind == .problem }
            #expect("\(record)".contains("window.mediaCapture"))
        }
    }

    /// As if a delegate had no such method, which on iOS asks the user.
    @Test(arguments: BrowserEngine.allCases.tried) func pageIsDenied_ifNativeCodeLeavesItToAUserWhoIsNotThere(
        _ engine: BrowserEngine
    ) async throws {
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.dialogHandler = { $0.answer(.prompt) }
        } _: { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask("{ audio: true }")).string == "NotAllowedError")
            let record = try await window.recorder.first { $0.event.kind == .problem }
            #expect("\(record)".contains("leaves the question to the user"))
        }
    }
}
