public import BridgeProtocol

/// Traffic as an HTTP Archive (HAR 1.2), which browsers' developer tools import. Each page is a WebSocket, and its
/// records are that socket's messages, as Chrome exports them (`_webSocketMessages`). Requests have entries of their own.
public struct HARDocument: JSONObject {
    private var connections: [Connection] = []
    private var requests: [JSONValue] = []
    private var index = DocumentIndex()
    private let version: String

    fileprivate struct Connection {
        let page: String
        let url: String
        var messages: [(time: Timestamp, isSent: Bool, text: String)] = []
    }

    /// - Parameter version: the version of the program that writes the document.
    public init(version: String) { self.version = version }

    /// Adds the next record of a log. A record without a page is left out, because no socket carried it.
    public mutating func add(_ record: TrafficRecord) {
        guard let place = index.place(of: record) else { return }
        if place == connections.count {
            connections.append(Connection(page: record.page ?? "", url: record.url ?? ""))
        }
        if case .request(let request, _) = record.event {
            return requests.append(.entry(of: request, page: "page_\(place + 1)", endedAt: record.time))
        }
        // The text leaves out the time, page and direction, because the archive has them as properties of the message
        // and of its socket.
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", record.event.kind.rawValue)
            record.event.writeMembers(to: &writer)
        }
        connections[place].messages.append((record.time, record.direction == .toNative, writer.text))
    }

    public var members: JSONMembers {
        let log: JSONValue = [
            "version": "1.2", "creator": ["name": "bridged", "version": .string(version)],
            "pages": .array(connections.enumerated().map { $1.page(id: "page_\($0 + 1)") }),
            "entries": .array(connections.enumerated().map { $1.entry(page: "page_\($0 + 1)") } + requests),
        ]
        return ["log": log]
    }
}

extension HARDocument.Connection {
    private var start: Timestamp { messages.first?.time ?? Timestamp(microseconds: 0) }

    private var milliseconds: Double {
        let end = messages.last?.time ?? start
        // The times come from a log file, and the difference of two times of any year may be too large for an integer.
        return (Double(end.microseconds) - Double(start.microseconds)) / 1_000
    }

    fileprivate func page(id: String) -> JSONValue {
        ["startedDateTime": .string(start.description), "id": .string(id), "title": .string(url), "pageTimings": [:]]
    }

    fileprivate func entry(page id: String) -> JSONValue {
        [
            "pageref": .string(id), "startedDateTime": .string(start.description), "time": .number(milliseconds),
            "request": .request(url: "ws://localhost/page#\(page)", for: url), "response": .switchingProtocols,
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
    }
}

extension JSONValue {
    fileprivate static func entry(
        of request: FinishedRequest, page: String, endedAt time: Timestamp
    ) -> JSONValue {
        let milliseconds = min(max(0, request.milliseconds ?? 0), 86_400_000)
        let start = Timestamp(microseconds: time.microseconds &- Int64(milliseconds * 1_000))
        return [
            "pageref": .string(page), "startedDateTime": .string(start.description), "time": .number(milliseconds),
            "request": [
                "method": .string(request.method), "url": .string(request.url), "httpVersion": "HTTP/1.1",
                "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": -1,
            ],
            "response": [
                "status": .number(Double(request.status ?? 0)), "statusText": .string(request.failure ?? ""),
                "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                "content": ["size": 0, "mimeType": .string(request.mimeType ?? "x-unknown")], "redirectURL": "",
                "headersSize": -1, "bodySize": -1,
            ],
            "cache": [:], "timings": ["send": 0, "wait": .number(milliseconds), "receive": 0],
        ]
    }

    fileprivate static func request(url: String, for page: String) -> JSONValue {
        [
            "method": "GET", "url": .string(url), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [["name": "Referer", "value": .string(page)]], "queryString": [], "headersSize": -1,
            "bodySize": 0,
        ]
    }

    fileprivate static let switchingProtocols: JSONValue = [
        "status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
        "content": ["size": 0, "mimeType": "x-unknown"], "redirectURL": "", "headersSize": -1, "bodySize": 0,
    ]
}
