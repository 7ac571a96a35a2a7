package import BridgeProtocol
package import Foundation

/// A request of a driven page to a URL scheme of native code, and the way to answer it. On the main actor.
@MainActor package final class SchemeLoad {
    package let request: SchemeRequest
    /// Called once, if the page no longer waits for the answer before that has ended.
    package var onStop: (@MainActor () -> Void)?
    private let stream: HTTPStream
    private var hasEnded = false

    init(_ request: SchemeRequest, _ stream: HTTPStream) {
        self.request = request
        self.stream = stream
        stream.markPartial()
        // Retained until the connection has ended, which the transport always reports.
        stream.onEnd = { self.ended() }
    }

    private func ended() {
        let stop = onStop.take()
        guard !hasEnded else { return }
        hasEnded = true
        stop?()
    }

    /// Begins the response. Call this before `write`.
    package func respond(_ response: SchemeResponse) { write(SchemeAnswer.response(response).frame) }

    /// Adds to the body.
    package func write(_ data: Data) { write(Array(data)) }

    private func write(_ bytes: [UInt8]) { if !hasEnded { stream.write(bytes) } }

    /// Ends the body.
    package func finish() { end(isPartial: false) }

    private func end(isPartial: Bool) {
        guard !hasEnded else { return }
        hasEnded = true
        stream.end(isPartial: isPartial)
    }

    /// Fails the request, in place of a response or in the middle of one.
    /// - Parameter failure: nil in the middle of a response, where the page learns only that it is not complete.
    package func fail(_ failure: NavigationFailure?) {
        if let failure { write(SchemeAnswer.failure(failure).frame) }
        end(isPartial: failure == nil)
    }
}
