import BridgeTraffic
internal import CWebsockets
import Foundation

/// Writes responses, one at a time and in parts.
///
/// From a request to the end of its response, nothing is read: libwebsockets would wake up for further requests again
/// and again. In this state it does not report either that the socket can be written, or that the client has left. So
/// the parts are written at the end of a round, and a timer asks the kernel.
///
/// If libwebsockets 4.1 has read a further request together with the first one and that request has a body, it never
/// returns. So the connection of a client that does not wait for its response may be closed after that response, which
/// RFC 9112, section 9.3.2, allows.
extension Connection {
    /// The time between two checks of a client that waits for a response, or that does not read one.
    private static let checkInterval = Duration.milliseconds(200)
    /// The time until the first check of a client that does not read. It doubles with each check.
    private static let firstCheckInterval = Duration.milliseconds(5)
    /// How long the daemon still reads the body of a refused request. A connection that is closed with unread bytes is
    /// reset, and the client may lose the refusal.
    private static let lingeringTime = Duration.seconds(1)

    func respond(_ response: HTTPResponse) {
        guard channel == nil else { return }
        let isHead = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0
        begin(response.serialized(headroom: EventLoop.headroom, withBody: !isHead, closes: closesAfterResponse))
    }

    /// Begins a response that ends when the connection does (RFC 9112, section 6.3).
    func respond(contentType: String, _ stream: HTTPStream) {
        self.stream = stream
        begin(HTTPResponse(contentType: contentType).serializedHead(headroom: EventLoop.headroom))
    }

    private func begin(_ bytes: [UInt8]) {
        owesResponse = false
        response = OutgoingResponse(bytes, headroom: EventLoop.headroom)
        lastWrite = .now
        countMemory()
        writeAfterRound()
    }

    /// Writes parts of the response until the socket is full. Called outside of libwebsockets' callbacks.
    func writeResponse() {
        guard let wsi, response != nil || stream != nil, !isLingering else { return }
        // libwebsockets also reports a full socket while it buffers a rest of the latest part.
        while lws_send_pipe_choked(wsi) == 0 {
            guard hasPart() else { return partsEnded(wsi) }
            guard response?.writePart({ write($0, from: $1, LWS_WRITE_HTTP) }) == true else { return end(within: 0) }
            lastWrite = .now
            readerCheckInterval = nil
        }
        let interval =
            readerCheckInterval.map { min($0 * 2, Connection.checkInterval) } ?? Connection.firstCheckInterval
        readerCheckInterval = interval
        setTimer(interval)
    }

    /// Returns whether a part of the response, or of the stream, is left to write.
    private func hasPart() -> Bool {
        if response?.isWritten == false { return true }
        guard let bytes = stream?.next(headroom: EventLoop.headroom) else { return false }
        response = OutgoingResponse(bytes, headroom: EventLoop.headroom)
        countMemory()
        return true
    }

    private func partsEnded(_ wsi: OpaquePointer) {
        response = nil
        countMemory()
        if let stream {
            if isClosing || stream.isFinished { end(within: 0) } else { setTimer(Connection.checkInterval) }
        } else if closesAfterResponse {
            closeAfterResponse()
        } else {
            readNextRequest(wsi)
        }
    }

    /// Reads the next request, or closes the connection of a client that has sent it without waiting for the response.
    private func readNextRequest(_ wsi: OpaquePointer) {
        lws_rx_flow_control(wsi, 1)
        if context.hasBufferedInput {
            // Handling what it has buffered, libwebsockets would cancel the timeout that closes the connection.
            lws_rx_flow_control(wsi, 0)
            end(within: 0)
        } else if lws_http_transaction_completed(wsi) != 0 {
            end(within: 0)
        }
    }

    /// Closes the connection after a response, and after the rest of a body that was refused.
    private func closeAfterResponse() {
        guard readsRefusedBody, let socket else { return end(within: 0) }
        isLingering = true
        shutdown(socket.descriptor, Int32(SHUT_WR))
        setTimer(Connection.lingeringTime)
    }

    // MARK: Waiting

    /// Stops reading until the response is written, and checks meanwhile whether the client is still there.
    func awaitResponse() {
        guard let wsi else { return }
        lws_rx_flow_control(wsi, 0)
        setTimer(Connection.checkInterval)
    }

    /// Goes on writing if the client reads again. Returns -1, which closes the connection, if the client does not read
    /// its response for too long, or has left before it was answered or during a stream.
    func checkClient() -> Int32 {
        guard !isLingering, let wsi, let socket else { return -1 }
        if owesResponse || stream != nil, socket.peerHasHungUp { return -1 }
        guard readerCheckInterval != nil else {
            if owesResponse || stream != nil { setTimer(Connection.checkInterval) }
            return 0
        }
        if socket.isWritable {
            // Only a further part makes libwebsockets write the rest of the latest one.
            if lws_partial_buffered(wsi) != 0, !hasPart() { return -1 }
        } else if stream == nil, ContinuousClock.now - lastWrite >= configuration.limits.pongTimeout {
            loop.deliver(.refused(doesNotRead.from(address)))
            return -1
        }
        writeAfterRound()
        return 0
    }

    private var doesNotRead: Refusal {
        let time = configuration.limits.pongTimeout.inMilliseconds
        return Refusal(
            code: .slowReader,
            text: "A client at \(address.text) read nothing of a response for \(time), and was disconnected.",
            hint: "Read each response before the next request.")
    }
}
