import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import Foundation

/// What a daemon does with a cassette, apart from answering from it; the names are VCR's.
enum CassetteMode: String {
    /// Nothing is recorded.
    case none
    /// Pages in an app of their own are recorded if the file does not exist.
    case once
    /// What the file lacks of pages in an app of their own is added to it.
    case newEpisodes = "new_episodes"
}

/// The file of a cassette while it is recorded. Whoever records decides when it is written.
final class CassetteTape {
    /// How long a recording answers before tests warn of its age, unless the file says it.
    private static let daysUntilOld = 90

    /// The path as messages show it.
    let path: String
    /// Where the file is: a link stays a link.
    private let target: String
    private var recorder: CassetteRecorder
    /// What the file had before this recording; nil if it is a new one.
    private let original: Cassette?
    /// What the file has, if entries are added to it.
    private var former: (cassette: Cassette, text: String)?
    /// What the file was like when it was last read or written.
    private var stamp: Stamp?
    /// How many messages had been recorded when the file was last written.
    private var writtenCount = 0
    /// How many of the messages are not written again, because somebody has edited the file that had them.
    private var editedCount = 0
    /// How many entries of this recording the file had then.
    private var editedEntryCount = 0
    /// How many entries this recording has in the file.
    private(set) var entryCount = 0

    /// - Parameter adding: whether to add to the file, if it exists. It is replaced otherwise.
    init(path: String, adding: Bool, redaction: Redaction = .standard) throws(YAMLError) {
        self.path = path
        target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        recorder = CassetteRecorder(redaction: redaction)
        guard adding, FileManager.default.fileExists(atPath: path) else {
            (original, former) = (nil, nil)
            return
        }
        stamp = Stamp(ofPath: target)
        let contents = try CassetteTape.contents(ofPath: path, target)
        (original, former) = (contents.cassette, contents)
    }

    /// Tells whether a file was changed, without reading it.
    private struct Stamp: Equatable {
        let date: Date?
        let size: Int?
        let number: Int?
        let isRegular: Bool

        init(ofPath path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            date = attributes?[.modificationDate] as? Date
            size = (attributes?[.size] as? NSNumber)?.intValue
            number = (attributes?[.systemFileNumber] as? NSNumber)?.intValue
            isRegular = attributes?[.type] as? FileAttributeType == .typeRegular
        }
    }

    /// - Throws: an error also if it is no regular file: nobody may write to a pipe.
    private static func contents(
        ofPath path: String, _ target: String
    ) throws(YAMLError) -> (cassette: Cassette, text: String) {
        guard Stamp(ofPath: target).isRegular else {
            throw YAMLError(unreadable: path, because: "it is no regular file")
        }
        let yaml = try YAMLFile(path: path)
        return (try Cassette(yaml), (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    }

    /// Notes a record without writing.
    /// - Returns: whether there is something new.
    func note(_ record: TrafficRecord) -> Bool { recorder.add(record) }

    /// Writes the file. If it would not change, nothing is written.
    /// - Throws: `CommandFailure`, also if the file is written and nothing more can be recorded.
    func write() throws {
        try writeFile()
        guard !recorder.isFull else {
            throw CommandFailure(
                "\(path) is written, and this recording is full: it has at most "
                    + "\(recorder.limits.messages) messages, and \(recorder.limits.bytes >> 20) MB of them and their answers. "
                    + "Record what the file lacks with --append, or with serve --cassette-mode new_episodes.", .failed)
        }
    }

    private func writeFile() throws {
        try readEdits()
        let entries = recorder.entries(missingIn: original, after: editedCount)
        entryCount = editedEntryCount + entries.count
        guard !entries.isEmpty else { return }
        let text = try text(with: entries)
        guard text.utf8.count <= YAMLFile.maximumSize else {
            throw CommandFailure(
                "\(path) would have \(text.utf8.count) bytes, and a cassette of more than \(YAMLFile.maximumSize) cannot be "
                    + "read. Record fewer messages, or smaller ones, in each file.", .failed)
        }
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: target), options: .atomic) } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)", .usage)
        }
        stamp = Stamp(ofPath: target)
        writtenCount = recorder.entries.count
    }

    /// Somebody may edit the file meanwhile: what was written before then stays as they left it, also without an answer that
    /// comes later.
    /// - Throws: `YAMLError` if the file cannot be read, such as one that is half saved.
    private func readEdits() throws {
        guard former != nil || stamp != nil, stamp != Stamp(ofPath: target),
            FileManager.default.fileExists(atPath: target)
        else { return }
        former = try CassetteTape.contents(ofPath: path, target)
        (editedCount, editedEntryCount) = (writtenCount, entryCount)
    }

    private func text(with entries: [Cassette.Entry]) throws -> String {
        guard let former, !former.cassette.entries.isEmpty else {
            var cassette = former?.cassette ?? Cassette(name: path)
            cassette.entries = entries
            cassette.recorded = Cassette.Day(.now)
            cassette.device = recorder.device
            if former == nil { cassette.daysUntilOld = CassetteTape.daysUntilOld }
            return cassette.yaml
        }
        let text = former.text + (former.text.hasSuffix("\n") ? "" : "\n") + Cassette.yaml(of: entries)
        // The file may be written by hand.
        guard let read = try? Cassette(YAMLFile(name: path, text: text)),
            read.entries.count == former.cassette.entries.count + entries.count
        else {
            throw CommandFailure(
                "\(path) can't be appended to. Make entries the last key, and indent its list by two spaces.",
                .usage)
        }
        return text
    }
}

/// Records the pages of a daemon that are in an app of their own.
@MainActor final class CassetteRecording {
    private static let shortestPause = Duration.milliseconds(200)

    private let tape: CassetteTape
    private weak var server: BridgeServer?
    private var isWaiting = false
    /// How long the latest writing took.
    private var latestDuration = Duration.zero
    private var latestError: String?
    /// Whether the recording is full, or larger than a file may be. It is said once, and nothing more is recorded.
    private var hasEnded = false

    /// - Returns: nil if the settings say to record nothing.
    init?(_ configuration: ServeConfiguration, _ server: BridgeServer) throws {
        guard let path = configuration.cassettePath else { return nil }
        switch configuration.cassetteMode {
        case .none: return nil
        case .once where configuration.cassette != nil: return nil
        case .once, .newEpisodes: break
        }
        tape = try CassetteTape(
            path: path, adding: configuration.cassetteMode == .newEpisodes, redaction: configuration.server.redaction)
        self.server = server
        server.traffic.observe { [weak self] record in self?.add(record) }
    }

    private func add(_ record: TrafficRecord) {
        guard !hasEnded, tape.note(record), !isWaiting else { return }
        isWaiting = true
        // The whole file is written, and pages wait meanwhile. So that takes at most a twentieth of the time.
        let pause = max(CassetteRecording.shortestPause, latestDuration * 20)
        server?.deadlines.schedule(after: pause) { [weak self] in
            self?.isWaiting = false
            self?.write()
        }
    }

    func write() {
        guard !hasEnded else { return }
        let start = ContinuousClock.now
        defer { latestDuration = .now - start }
        do {
            try tape.write()
            latestError = nil
        } catch {
            let failure = error as? CommandFailure
            // A disk that is full may have room later, and a mistake in the file may be corrected.
            hasEnded = failure?.code == .failed
            let text = "\(failure?.error.message ?? "\(error)")\(hasEnded ? " Nothing more is recorded." : "")"
            guard text != latestError else { return }
            latestError = text
            Terminal.printError("error: \(TerminalText.escape(text))")
            server?.traffic.problem(
                ProblemCode("cassetteFailed", page: "notes/cassettes.md"), "The cassette was not written: \(text)",
                hint: "Correct the file, or make room for it. The next message tries again.")
        }
    }
}
