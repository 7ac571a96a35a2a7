import Foundation
import TestSupport

/// The examples in a Markdown file: input files, and commands with their output.
///
/// `<!-- file: NAME -->` comes before the contents of a file, `<!-- run -->` before a block whose first line is a command.
struct DocumentedExamples {
    struct Command {
        let line: String
        let output: String
    }

    private(set) var files: [String: String] = [:]
    private(set) var commands: [Command] = []

    static func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: Repository.file(name)), as: UTF8.self)
    }

    static func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: Repository.file(name))
    }

    init(in text: String) {
        for part in text.components(separatedBy: "<!-- ").dropFirst() {
            let head = part.prefix { $0 != "\n" }.replacing(" -->", with: "")
            let block =
                part.components(separatedBy: "```").dropFirst().first.map { $0.drop { $0 != "\n" }.dropFirst() } ?? ""
            if head.hasPrefix("file: ") { files[String(head.dropFirst(6))] = String(block) }
            if head == "run" {
                let line = block.prefix { $0 != "\n" }
                commands.append(
                    Command(line: String(line.dropFirst(2)), output: String(block.dropFirst(line.count + 1))))
            }
        }
    }

    /// Runs the commands in a folder with the files, and returns them with their real output.
    func run() async throws -> [Command] {
        let folder = try TemporaryFolder()
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name))) }
        var results: [Command] = []
        for command in commands {
            let arguments = command.line.dropFirst("bridged ".count)
            let script = "cd '\(folder.path(""))' && \"$@\" \(arguments)"
            let outcome = try await Executable.run([], by: script)
            results.append(Command(line: command.line, output: outcome.output + outcome.errors))
        }
        return results
    }
}
