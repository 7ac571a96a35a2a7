public import BridgeProtocol

/// Traffic as an HTTP Archive (HAR 1.2), which browsers' developer tools import. Each page is a WebSocket, and its
/// records are that socket's messages, as Chrome exports them (`_webSocketMessages`). Requests have entries of their own.
///
/// A number that is not in the traffic is -1, as the format says. A page begins with its first record.
public struct HARDocument: JSONObject {
    private var pages: [Page] = []
    private var requests: [Entry] = []
    private var index = DocumentIndex()
    private let version: String

    /// An entry of the archive.
    fileprivate typealias Entry = (start: Timestamp, json: JSONValue)

    fileprivate struct Page {
        let id: String
        let page: String
        var url: String
        var start: Timestamp
        /// The time at which the document had loaded; nil if it is not in the log.
        var loaded: Timestamp?
        var messages: [(time: Timestamp, isSent: Bool, text: String)] = []
    }

    /// - Parameter version: the version of the program that writes the document.
    public init(version: String) { self.version = version }

    /// Adds the next record of a log. A record without a page is left out, because no socket carried it.
    public mutating func add(_ record: TrafficRecord) {
        guard let place = index.place(of: record) else { return }
        if place == pages.count {
            pages.append(
                Page(id: "page_\(place + 1)", page: record.page ?? "", url: record.url ?? "", start: record.time))
        }
        if pages[place].url.isEmpty { pages[place].url = record.url ?? "" }
        if case .request(let request, _) = record.event {
            let start = request.start(endingAt: record.time)
            pages[place].start = min(pages[place].start, start)
            return requests.append((start, .entry(of: request, page: pages[place].id, startedAt: start)))
        }
        if case .page(.loaded) = record.event, pages[place].loaded == nil { pages[place].loaded = record.time }
        // The text leaves out the time, page and direction, because the archive has them as properties of the message
        // and of its socket.
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", record.event.kind.rawValue)
            record.event.writeMembers(to: &writer)
        }
        pages[place].messages.append((record.time, record.direction == .toNative, writer.text))
    }

    public var members: JSONMembers {
        let log: JSONValue = [
            "version": "1.2", "creator": ["name": "bridged", "version": .string(version)],
            "pages": .array(pages.map(\.json)), "entries": .array(entries.map(\.json)),
        ]
        return ["log": log]
    }

    /// All entries in the order in which they began, as the format prefers it: readers take a page's first one for its
    /// document.
    private var entries: [Entry] {
        (requests + pages.compactMap(\.socket)).enumerated()
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
    }
}

extension HARDocument.Page {
    fileprivate var json: JSONValue {
        [
            "startedDateTime": .string(start.description), "id": .string(id), "title": .string(url),
            "pageTimings": [
                "onContentLoad": -1, "onLoad": .number(loaded.map { start.milliseconds(until: $0) } ?? -1),
            ],
        ]
    }

    /// The page's WebSocket; nil if nothing went over it.
    fileprivate var socket: HARDocument.Entry? {
        guard let first = messages.first?.time, let last = messages.last?.time else { return nil }
        let milliseconds = first.milliseconds(until: last)
        let json: JSONValue = [
            "pageref": .string(id), "startedDateTime": .string(first.description), "time": .number(milliseconds),
            "request": .request(
                "GET", "ws://localhost/page#\(page)", headers: [["name": "Referer", "value": .string(url)]]),
            "response": .response(status: 101, text: "Switching Protocols", mimeType: nil),
            "cache": [:], "timings": ["send": 0, "wait": 0, "receive": .number(milliseconds)],
            "_resourceType": "websocket",
            "_webSocketMessages": .array(
                messages.map { message in
                    [
                        "type": message.isSent ? "send" : "receive",
                        "time": .number(Double(message.time.microseconds) / 1_000_000), "opcode": 1,
                        "data": .string(message.text),
                    ]
                }),
        ]
        return (first, json)
    }
}

extension Timestamp {
    /// The times come from a log file: one may be before the other, and the difference of two times of any year may be too
    /// large for an integer.
    fileprivate func milliseconds(until end: Timestamp) -> Double {
        max(0, (Double(end.microseconds) - Double(microseconds)) / 1_000)
    }
}

extension FinishedRequest {
    fileprivate var boundedMilliseconds: Double { min(max(0, milliseconds ?? 0), 86_400_000) }

    fileprivate func start(endingAt end: Timestamp) -> Timestamp {
        Timestamp(microseconds: end.microseconds &- Int64(boundedMilliseconds * 1_000))
    }
}

extension JSONValue {
    fileprivate static func entry(
        of request: FinishedRequest, page: String, startedAt start: Timestamp
    ) -> JSONValue {
        let milliseconds = JSONValue.number(request.boundedMilliseconds)
        return [
            "pageref": .string(page), "startedDateTime": .string(start.description), "time": milliseconds,
            "request": .request(request.method, request.url, headers: []),
            "response": .response(status: request.status ?? 0, text: request.failure, mimeType: request.mimeType),
            "cache": [:], "timings": ["send": 0, "wait": milliseconds, "receive": 0],
            "_resourceType": .string(request.type ?? "other"),
        ]
    }

    fileprivate static func request(_ method: String, _ url: String, headers: JSONValue) -> JSONValue {
        [
            "method": .string(method), "url": .string(url), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": headers, "queryString": .array(QueryString.parameters(of: url)), "headersSize": -1,
            "bodySize": -1,
        ]
    }

    fileprivate static func response(status: Int, text: String?, mimeType: String?) -> JSONValue {
        [
            "status": .number(Double(status)), "statusText": .string(text ?? ""), "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": [],
            "content": ["size": -1, "mimeType": .string(mimeType ?? "x-unknown")], "redirectURL": "",
            "headersSize": -1, "bodySize": -1,
        ]
    }
}

/// The query of a URL, read as a form's data is (WHATWG URL, `application/x-www-form-urlencoded` parsing).
private enum QueryString {
    static func parameters(of url: String) -> [JSONValue] {
        let beforeFragment = url.prefix { $0 != "#" }
        guard let mark = beforeFragment.firstIndex(of: "?") else { return [] }
        return beforeFragment[beforeFragment.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return ["name": .string(decoded(parts[0])), "value": .string(parts.count > 1 ? decoded(parts[1]) : "")]
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digits: Substring.UTF8View) -> UInt8? {
        guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt8(Substring(digits), radix: 16)
    }
}
