import Foundation

/// A process that another one has started, as `/proc` describes it.
struct SystemProcess: Sendable {
    let id: Int32
    let name: String

    var hasEnded: Bool {
        guard kill(id, 0) == 0, let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else {
            return true
        }
        return stat.split(separator: ")").last?.hasPrefix(" Z") == true
    }

    static func all(of parent: Int32) throws -> [SystemProcess] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap { id in
            guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")")
            else { return nil }
            let fields = stat[stat.index(after: close)...].split(separator: " ")
            guard fields.count > 1, Int32(fields[1]) == parent else { return nil }
            return SystemProcess(id: id, name: String(stat[stat.index(after: open)..<close]))
        }
    }
}
