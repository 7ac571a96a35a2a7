import BridgeProtocol
import BridgeTraffic

/// Reads a filter expression, prints it and reads it again.
enum FilterTarget {
    private static let record = StoredRecord(
        TrafficRecord(
            record: 1, time: .now, page: "p1", webView: "main", url: "http://localhost/", direction: .toNative,
            event: .page(.attached)))

    static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(TrafficFilterError) {
            let filter = try TrafficFilter(parsing: text)
            let isMatch = filter.matches(record)
            let again = try TrafficFilter(parsing: filter.description)
            check(again == filter && again.matches(record) == isMatch, "'\(text)' is printed as '\(filter)'")
            return 0
        } catch {
            check(!error.description.isEmpty, "an error without a message")
            return 0
        }
    }
}
