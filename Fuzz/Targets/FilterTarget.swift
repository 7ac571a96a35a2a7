import BridgeProtocol
import BridgeTraffic

/// The filter language of tools.
enum FilterTarget {
    private static let record = StoredRecord(
        TrafficRecord(
            record: 1, time: .now, page: "p1", webView: "main", url: "http://localhost/", direction: .toNative,
            event: .page(.attached)))

    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(TrafficFilterError) {
            let filter = try TrafficFilter(parsing: text)
            let isMatch = filter.matches(record)
            let again = try TrafficFilter(parsing: filter.description)
            promise(again == filter && again.matches(record) == isMatch, "'\(text)' is printed as '\(filter)'")
            return 0
        } catch {
            promise(!error.description.isEmpty, "an error without a word")
            return 0
        }
    }
}
