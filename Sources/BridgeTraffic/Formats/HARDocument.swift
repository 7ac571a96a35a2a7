public import BridgeProtocol

/// Traffic as an HTTP Archive (HAR 1.2), which browsers' developer tools import. Each page is a WebSocket, and its
/// records are that socket's messages, as Chrome exports them (`_webSocketMessages`).
public struct HARDocument: JSONWritable {
    private var connections: [Connection] = []
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
        // The text leaves out the time, page and direction, because the archive has them as properties of the message
        // and of its socket.
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", record.event.kind.rawValue)
            record.event.writeMembers(to: &writer)
        }
        connections[place].messages.append((record.time, record.direction == .toNative, writer.text))
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member(
                "log",
                object: { writer in
                    writer.member("version", "1.2")
                    writer.member(
                        "creator", JSONValue.object([.init("name", "bridged"), .init("version", .string(version))]))
                    writer.key("pages")
                    writer.array { writer in
                        for (index, connection) in connections.enumerated() { connection.writePage(to: &writer, index) }
                    }
                    writer.key("entries")
                    writer.array { writer in
                        for (index, connection) in connections.enumerated() {
                            connection.writeEntry(to: &writer, index)
                        }
                    }
                })
        }
    }
}

extension HARDocument.Connection {
    private var start: Timestamp { messages.first?.time ?? Timestamp(microseconds: 0) }

    private var milliseconds: Double {
        let end = messages.last?.time ?? start
        // The times come from a log file, and the difference of two times of any year may be too large for an integer.
        return (Double(end.microseconds) - Double(start.microseconds)) / 1_000
    }

    fileprivate func writePage(to writer: inout JSONWriter, _ index: Int) {
        writer.object { writer in
            writer.member("startedDateTime", start)
            writer.member("id", "page_\(index + 1)")
            writer.member("title", url)
            writer.member("pageTimings", JSONValue.object([]))
        }
    }

    fileprivate func writeEntry(to writer: inout JSONWriter, _ index: Int) {
        writer.object { writer in
            writer.member("pageref", "page_\(index + 1)")
            writer.member("startedDateTime", start)
            writer.member("time", milliseconds)
            writer.member("request", JSONValue.request(url: "ws://localhost/page#\(page)", for: url))
            writer.member("response", JSONValue.switchingProtocols)
            writer.member("cache", JSONValue.object([]))
            writer.member("timings", ["send": 0, "wait": 0, "receive": .number(milliseconds)] as JSONValue)
            writer.member("_resourceType", "websocket")
            writer.key("_webSocketMessages")
            writer.array { writer in
                for message in messages {
                    writer.object { writer in
                        writer.member("type", message.isSent ? "send" : "receive")
                        writer.member("time", Double(message.time.microseconds) / 1_000_000)
                        writer.member("opcode", 1)
                        writer.member("data", message.text)
                    }
                }
            }
        }
    }
}

extension JSONValue {
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
