public import BridgeProtocol

/// A traffic record as a line of JSON, with the facets that filters compare. It is a class, so that the log, the
/// followers and the archive share one copy.
public final class StoredRecord: Sendable {
    /// The record's number.
    public let number: Int
    public let time: Timestamp
    public let facets: TrafficFacets
    /// The record as a JSON object, and a newline. The log file, the ring, the database and followers share these
    /// bytes.
    public let line: [UInt8]

    public convenience init(_ record: TrafficRecord) {
        var writer = JSONWriter()
        self.init(record, using: &writer)
    }

    /// - Parameter writer: a writer whose buffer is reused. Its contents are lost.
    public convenience init(_ record: TrafficRecord, using writer: inout JSONWriter) {
        writer.reset()
        record.write(to: &writer)
        self.init(record.record, record.time, record.facets, endingLineOf: &writer)
    }

    /// - Parameter writer: a writer that has the record's object.
    init(_ number: Int, _ time: Timestamp, _ facets: consuming TrafficFacets, endingLineOf writer: inout JSONWriter) {
        writer.newline()
        assert(
            writer.bytes.count > RepeatedName.longestLine || RepeatedName.first(in: writer.bytes) == nil,
            "This record has a name twice: \(writer.text)")
        (self.number, self.time, self.facets) = (number, time, facets)
        line = writer.bytes
    }

    /// Reads a line of a log file or a database.
    /// - Parameter line: the line, with or without a newline.
    /// - Returns: nil if it is not a record.
    public convenience init?(line: some Sequence<UInt8>) {
        let line = Array(line)
        guard let record = TrafficRecord(line: line) else { return nil }
        self.init(record, line: line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")])
    }

    /// The same record with another line, such as one without secrets.
    func replacingLine(by line: [UInt8]) -> StoredRecord { StoredRecord(self, line: line) }

    private init(_ record: StoredRecord, line: [UInt8]) {
        (number, time, facets) = (record.number, record.time, record.facets)
        self.line = line
    }

    private init(_ record: TrafficRecord, line: [UInt8]) {
        number = record.record
        time = record.time
        facets = record.facets
        self.line = line
    }

    /// The record's object, parsed.
    public var json: JSON { (try? JSON.parse(line)) ?? .null }
}

extension StoredRecord {
    /// The value in the record: a message's body, the value of a reply or an evaluation, the arguments of an
    /// asynchronous call. For other kinds it is the whole record.
    public var payload: ScriptValue {
        let json = json
        return TrafficRecord(json: json)?.payload ?? ScriptValue(json: json, checked: nil)
    }
}

extension StoredRecord: JSONWritable {
    /// Appends the bytes as they are.
    public func write(to writer: inout JSONWriter) { writer.raw(line.dropLast()) }
}
