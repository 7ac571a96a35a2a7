import BridgeProtocol
import BridgeTraffic

/// Reads the lines of a log, and shows them as `bridged log` and `bridged tail` do.
enum RecordTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var archive = HARDocument(version: "1")
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let stored = StoredRecord(line: line)
            guard let record = TrafficRecord(line: line) else { continue }
            check(stored?.number == record.record, "a line was read as a record only once: \(record)")
            _ = stored?.payload
            _ = ReadableTraffic().text(record)
            var writer = JSONWriter()
            record.write(to: &writer)
            check(TrafficRecord(line: writer.bytes) != nil, "the printed record can't be read: \(writer.text)")
            archive.add(record)
        }
        var writer = JSONWriter()
        archive.write(to: &writer)
        check((try? JSON.parse(writer.text)) != nil, "the archive is not JSON")
        return 0
    }
}
