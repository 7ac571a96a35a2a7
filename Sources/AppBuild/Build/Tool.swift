import BridgeProcesses
import Foundation

/// A program that the build runs, such as `git` or `swift`. It ends with this process.
struct Tool {
    /// A program that writes more bytes than this is ended, so that they do not fill the memory.
    private static let longestOutput = 64 << 20

    /// A name that is looked up in PATH, or a path.
    let name: String
    var folder: URL?
    /// How long the program may run; nil for as long as it needs, as a compiler does.
    var limit: Duration?
    /// Gets each line while the program runs.
    var onLine: ((String) -> Void)?

    struct Result {
        let status: Int32
        /// What the program has written to standard output and standard error.
        let output: String
    }

    /// Runs the program and waits for its end.
    func run(_ arguments: [String]) throws(BuildFailure) -> Result {
        let file = URL(fileURLWithPath: name)
        guard let executable = name.hasPrefix("/") ? file : Executables.find([name]) else {
            throw BuildFailure("\(name) is not installed, or not in PATH.")
        }
        let pipe = Pipe.withoutInheritance()
        let process: ChildProcess
        do {
            process = try ChildProcess(executable, arguments, folder: folder, output: .pipe(pipe), errors: .pipe(pipe))
        } catch {
            throw BuildFailure("\(error)")
        }
        let start = ContinuousClock.now
        let timer = DispatchWorkItem { process.end() }
        if let limit {
            DispatchQueue.global().asyncAfter(deadline: .now() + DispatchTimeInterval(limit), execute: timer)
        }
        defer { timer.cancel() }
        let command = text(of: arguments)
        guard let output = read(pipe.fileHandleForReading) else {
            process.end()
            throw BuildFailure(
                "\(command) wrote more than \(Tool.longestOutput >> 20) MiB, and was ended. "
                    + "Run it yourself to see what it writes.")
        }
        let ending = process.waitForEnd()
        if let limit, ending.isSignal, ContinuousClock.now - start >= limit {
            throw BuildFailure(
                "\(command) had not ended after \(limit), and was ended. Run it yourself to see what it waits for.")
        }
        // Its output would not say why.
        guard !ending.isSignal else {
            let reason = ending.status == SIGKILL ? ". Linux does that if no memory is left" : ""
            throw BuildFailure("\(command) \(ending.text)\(reason).")
        }
        return Result(status: ending.status, output: output)
    }

    /// Runs the program, and fails with the end of its output if its status is not 0.
    @discardableResult
    func succeed(_ arguments: [String]) throws(BuildFailure) -> String {
        let result = try run(arguments)
        guard result.status == 0 else {
            let end = result.output.split(whereSeparator: \.isNewline).suffix(5).joined(separator: "\n  ")
            throw BuildFailure("\(text(of: arguments)) failed:\n  \(end)")
        }
        return result.output
    }

    /// The command as one would type it.
    private func text(of arguments: [String]) -> String { "\(name) \(arguments.joined(separator: " "))" }

    /// - Returns: nil if the program writes too much.
    private func read(_ handle: FileHandle) -> String? {
        var (all, line) = (Data(), Data())
        while true {
            let data = handle.availableData
            guard !data.isEmpty else { break }
            all += data
            guard all.count <= Tool.longestOutput else { return nil }
            guard let onLine else { continue }
            line += data
            while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                onLine(String(decoding: line[..<end], as: UTF8.self))
                line = line[line.index(after: end)...]
            }
        }
        return String(decoding: all, as: UTF8.self)
    }
}
