import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import Foundation

/// `bridged log`
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Export a log, or replay it.", subcommands: [LogExport.self, LogReplay.self])
}

enum LogReader {
    /// Reads the records of an NDJSON log.
    /// - Throws: `CommandFailure`, with the line that is not a record.
    static func records(in path: String) throws -> [TrafficRecord] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) does not exist or cannot be read.", .usage)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var records: [TrafficRecord] = []
        for (index, line) in lines.enumerated() where !line.isEmpty {
            guard let record = TrafficRecord(line: line) else {
                // A daemon that was killed may have left the last line unfinished.
                if index == lines.count - 1 { break }
                throw CommandFailure(
                    "\(path):\(index + 1) is not a record. Give a log that `bridged serve --log` wrote.", .usage)
            }
            records.append(record)
        }
        return records
    }
}
