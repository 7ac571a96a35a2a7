import ArgumentParser
import BridgeClient
import BridgeInput
import BridgeProtocol
import BridgeTraffic
import Foundation

/// `bridged log`
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Export a log, or replay it.", subcommands: [LogExport.self, LogReplay.self])
}

enum LogReader {
    /// Reads the records of an NDJSON log. A daemon that was killed, or whose disk was full, may have left a record
    /// unfinished: it is left out, with a line on standard error.
    /// - Throws: `CommandFailure`, with the line that is not a record.
    static func records(in path: String) throws -> [TrafficRecord] {
        let text: [UInt8]
        do throws(InputFileError) { text = try InputFile.contents(ofPath: path, limit: limit(of: path)) } catch {
            throw CommandFailure(
                "\(path) can't be read: \(error.reason). Give a log that `bridged serve --log` wrote.", .usage)
        }
        var records: [TrafficRecord] = []
        var unfinished: [Int] = []
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) where !line.isEmpty {
            if let record = TrafficRecord(line: line) {
                records.append(record)
                continue
            }
            let error = mistake(in: line)
            let isTooDeep = error?.cause == .tooDeep
            guard error != nil, !isTooDeep, line.starts(with: #"{"record":"#.utf8.prefix(line.count)) else {
                let reason = isTooDeep ? ": it has more than 2,048 arrays and objects in one another." : "."
                throw CommandFailure(
                    "\(path):\(number) is not a record\(reason) Give a log that `bridged serve --log` wrote.", .usage)
            }
            unfinished.append(number)
        }
        report(unfinished, in: path)
        return records
    }

    /// Reads the records that a daemon keeps and that the query selects (`after`, `filter`), oldest first.
    static func records(
        of daemon: DaemonClient, _ query: KeyValuePairs<String, String?> = [:]
    ) throws(ClientError) -> [TrafficRecord] {
        var records: [TrafficRecord] = []
        try daemon.readLines(of: "traffic", query: query) { line in
            if let record = TrafficRecord(line: line) { records.append(record) }
        }
        return records
    }

    /// A device such as /dev/zero has no end. Files and pipes have one.
    private static func limit(of path: String) -> Int {
        var status = stat()
        let isDevice = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
        return isDevice ? InputFile.usualLimit : .max
    }

    /// - Returns: nil if the line is JSON.
    private static func mistake(in line: ArraySlice<UInt8>) -> JSONParseError? {
        do throws(JSONParseError) {
            _ = try JSON.parse(Array(line))
            return nil
        } catch {
            return error
        }
    }

    private static func report(_ unfinished: [Int], in path: String) {
        guard let first = unfinished.first else { return }
        let others = unfinished.count > 1 ? ", and \(unfinished.count - 1) more," : ""
        Terminal.printError(
            "\(path):\(first)\(others) is left out: the daemon was killed, or its disk was full, while it wrote the record."
        )
    }
}
