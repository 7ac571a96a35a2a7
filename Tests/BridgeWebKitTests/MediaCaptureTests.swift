import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// A delegate that decides whether pages may use the camera and the microphone.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MediaCaptureTests {
    private func ask(_ delegate: any WKUIDelegate, _ devices: String) async throws -> String? {
        try await withWebView { fixture in
            fixture.webView.uiDelegate = delegate
            let (page, _) = try await fixture.attachDriven()
            let params = #"{"type":"mediaCapture","text":"","devices":[\#(devices)]}"#
            return try await page.ask("dialog.show", params)["result"]?.description
        }
    }

    @Test func delegateGrants_andGetsOriginAndType() async throws {
        let spy = MediaSpy()
        #expect(try await ask(spy, #""camera""#) == #"{"confirmed":true}"#)
        #expect(try await ask(spy, #""microphone","camera""#) == #"{"confirmed":true}"#)
        #expect(spy.asked == ["localhost camera", "localhost cameraAndMicrophone"])
    }

    @Test func delegateDenies() async throws {
        let spy = MediaSpy()
        spy.decision = .deny
        #expect(try await ask(spy, #""microphone""#) == #"{"confirmed":false}"#)
        #expect(spy.asked == ["localhost microphone"])
    }

    @Test func withoutTheMethod_theUserIsAsked() async throws {
        #expect(try await ask(PlainDelegate(), #""camera""#) == #"{"confirmed":false,"prompts":true}"#)
    }

    private final class PlainDelegate: NSObject, WKUIDelegate {}

    private final class MediaSpy: NSObject, WKUIDelegate {
        var decision = WKPermissionDecision.grant
        private(set) var asked: [String] = []

        func webView(
            _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
            initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
            decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void
        ) {
            asked.append("\(origin.host) \(type)")
            decisionHandler(decision)
        }
    }
}
