import BridgeInput
import BridgeProcesses
import BridgeTraffic
import Foundation
import WebFiles

/// Which runs get a trace.
public enum TraceMode: String, Sendable, CaseIterable {
    case on, off, failures
}

/// A trace that was written, or the reason why it was not.
public enum TraceFile: Sendable, Equatable, Codable {
    case written(path: String)
    case failed(reason: String)

    /// The command that shows the trace, or why there is none, on one line.
    var text: String {
        switch self {
        case .written(let path): TerminalText.escape("bridged trace show \(TraceFile.quoted(path))")
        case .failed(let reason): TerminalText.escape("none: \(reason)")
        }
    }

    /// Quotes a word for a shell, if it needs that.
    private static func quoted(_ word: String) -> String {
        guard word.contains(where: { !($0.isLetter || $0.isNumber || "/._-@+,=:".contains($0)) }) else { return word }
        return "'\(word.replacing("'", with: "'\\''"))'"
    }
}

/// The folder in which traces are written, each an HTML file that needs no network.
@MainActor public final class TraceFolder {
    /// The folder that is used if neither the options nor the environment name one.
    nonisolated public static let usualPath = "bridged-traces"

    let mode: TraceMode
    let path: String
    /// The names of the files that were written.
    private var names: Set<String> = []
    /// The name of the only file, if another process has chosen it.
    private let onlyName: String?

    public convenience init(_ mode: TraceMode, path: String = TraceFolder.usualPath) {
        self.init(mode, path: path, onlyName: nil)
    }

    init(_ mode: TraceMode, path: String, onlyName: String?) {
        self.mode = mode
        self.path = path
        self.onlyName = onlyName
    }

    /// Writes the trace of a flow, if it should have one.
    func write(_ recorder: TraceRecorder, of result: FlowResult) -> TraceFile? {
        guard mode == .on || result.failure != nil else { return nil }
        let trace = recorder.trace(
            name: result.flow.name, file: result.flow.file, framework: result.framework?.name,
            steps: result.flow.steps.map { ($0.origin.file, $0.line, $0.text) },
            failure: result.failure.map { failure in
                let later = result.laterFailures.map { later in
                    "\nThen \(later.place(in: result.flow)): expected \(later.expected); found \(later.found)"
                }
                return Trace.Failure(
                    step: failure.step?.number, expected: failure.expected, found: failure.found + later.joined())
            })
        let name = result.flow.fileName(in: result.engine, with: result.framework, result.binary)
        let withoutTokens = recorder.app.server.traffic.withoutTokens
        return write(trace, as: name) { result.flow.secrets.removed(fromJSON: withoutTokens($0)) }
    }

    /// Writes a trace. A file of an earlier run is replaced.
    /// - Parameters:
    ///   - name: the file's name without `.html`. If this folder has written such a file, a number is added.
    ///   - withoutSecrets: removes secrets from the text of a JSON object, which stays one.
    func write(_ trace: Trace, as name: String, _ withoutSecrets: (String) -> String) -> TraceFile {
        let file = "\(path)/\(onlyName ?? unused(name)).html"
        do {
            let html = try TraceDocument.html(of: trace, withoutSecrets: withoutSecrets)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.writePrivately(html, to: file)
            return .written(path: file)
        } catch let error as MissingWebFile {
            return .failed(reason: "\(error)")
        } catch {
            return .failed(reason: "\(file) cannot be written: \(error.localizedDescription) Choose another folder.")
        }
    }

    /// Chooses a name without an ending that no other file of this run has.
    package func unused(_ name: String) -> String {
        var (unused, number) = (name, 1)
        while !names.insert(unused).inserted {
            number += 1
            unused = "\(name)-\(number)"
        }
        return unused
    }

    /// Checks whether a file is a trace.
    /// - Returns: what is wrong with it; nil if it is one.
    nonisolated public static func problem(ofFile path: String) -> String? {
        do throws(InputFileError) {
            let (beginning, end) = try InputFile.ends(ofPath: path, of: TraceDocument.markedSize)
            return TraceDocument.problem(of: beginning, end)
        } catch {
            return "It cannot be read: \(error)."
        }
    }
}
