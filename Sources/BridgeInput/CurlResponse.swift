import CCurl
import Foundation

/// What libcurl has received of one response. Only callbacks of `easy_perform` change it, on the thread that calls it.
final class CurlResponse {
    private(set) var status = 0
    /// The value of the header `Location`.
    private(set) var location: String?
    /// The media type of the body, without parameters and in lower case; empty if the server does not say it.
    private(set) var mediaType = ""
    private(set) var body: [UInt8] = []
    private(set) var isCut = false
    /// Whether the rest of the response is not wanted.
    private(set) var isEnough = false
    private(set) var isHeaderTooLarge = false
    /// Whether the whole header of the final response has arrived.
    private(set) var hasHeader = false
    /// Whether the transfer was ended from outside.
    private(set) var isAborted = false
    private var headerSize = 0
    private let maximumBodySize: Int
    private let lineType: String
    private let onLine: (([UInt8]) -> Void)?
    private let isCancelled: (CurlResponse) -> Bool

    /// - Parameters:
    ///   - lineType: the media type of a body whose lines are handed to `onLine`.
    init(
        maximumBodySize: Int, lineType: String, onLine: (([UInt8]) -> Void)?,
        isCancelled: @escaping (CurlResponse) -> Bool
    ) {
        self.maximumBodySize = maximumBodySize
        self.lineType = lineType
        self.onLine = onLine
        self.isCancelled = isCancelled
    }

    /// Notes that libcurl has ended the transfer because of a line of the header, which it does not hand over.
    func libraryRefusedHeader() { isHeaderTooLarge = true }

    /// - Returns: whether to go on.
    func checkCancellation() -> Bool {
        isAborted = isCancelled(self)
        return !isAborted
    }

    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Receives one line of the header: the status line, a field, or the empty line at the end. Responses with a status
    /// below 200 come before the final one.
    /// - Returns: whether to go on.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerSize += line.count
        isHeaderTooLarge = headerSize > HTTPRequest.maximumHeaderSize
        if isHeaderTooLarge { return false }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.hasPrefix("HTTP/") {
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            location = nil
            mediaType = ""
        } else if text.lowercased().hasPrefix("location:") {
            location = text.dropFirst("location:".count).trimmingCharacters(in: .whitespaces)
        } else if text.lowercased().hasPrefix("content-type:") {
            let value = text.dropFirst("content-type:".count).prefix { $0 != ";" }
            mediaType = value.trimmingCharacters(in: .whitespaces).lowercased()
        } else if text.isEmpty, status >= 200 {
            hasHeader = true
            isEnough = isRedirect || maximumBodySize == 0
        }
        return !isEnough
    }

    /// Whether the lines of the body are handed over one by one.
    var hasLines: Bool { onLine != nil && status == 200 && mediaType == lineType }

    /// - Returns: whether to go on.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Instead of lines there can be an explanation, of which only the beginning is of use.
        let limit = onLine == nil || hasLines ? maximumBodySize : min(maximumBodySize, 64 << 10)
        let room = limit - body.count
        isCut = bytes.count > room
        isEnough = isCut
        body += bytes.prefix(room)
        let newline = UInt8(ascii: "\n")
        // Only the new bytes are looked through each time, because a line may be long. `memchr` is fast in a debug build too.
        let hasNewline = bytes.baseAddress.flatMap { memchr($0, Int32(newline), bytes.count) } != nil
        if hasLines, let onLine, hasNewline, let end = body.lastIndex(of: newline) {
            for line in body[..<end].split(separator: newline) { onLine(Array(line)) }
            body.removeFirst(end + 1)
        }
        return !isEnough
    }
}

let receiveHeader: bridged_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receiveHeader($1) }
}

let receiveBody: bridged_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receiveBody($1) }
}

let checkCancellation: bridged_curl_progress = { context, _, _, _, _ in
    guard let context else { return 1 }
    return Unmanaged<CurlResponse>.fromOpaque(context).takeUnretainedValue().checkCancellation() ? 0 : 1
}

/// - Returns: the number of bytes that were taken, or 0 to end the transfer. libcurl's `size` is always 1.
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (CurlResponse, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let context else { return 0 }
    let response = Unmanaged<CurlResponse>.fromOpaque(context).takeUnretainedValue()
    return take(response, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}
