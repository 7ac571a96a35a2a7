@preconcurrency import CEditLine
import Foundation

/// Reads lines from a terminal through libedit, with editing, history and completion.
/// libedit keeps its state in global variables. Use only one reader in a process, on one thread.
final class LineReader {
    private let historyPath: String?
    private var history: [String]
    private static let historyLength = 1_000

    // A C function captures nothing, so libedit's callback uses this. It runs inside `readline`, on the same thread.
    private nonisolated(unsafe) static var complete: (String) -> [String] = { _ in [] }

    /// - Parameters:
    ///   - historyPath: the file that keeps the lines; nil keeps none.
    ///   - complete: gets the word before the cursor, such as `document.ti`. Returns the longest common beginning of all
    ///     words that match, and then these words; or nothing.
    init(historyPath: String?, complete: @escaping (String) -> [String]) {
        self.historyPath = historyPath
        let text = historyPath.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        history = text.split(separator: "\n").suffix(LineReader.historyLength).map(String.init)
        LineReader.complete = complete
        // libedit decodes input by the locale. The second name is a Mac's.
        if setlocale(LC_CTYPE, "C.UTF-8") == nil { setlocale(LC_CTYPE, "UTF-8") }
        using_history()
        for line in history { add_history(line) }
        // libedit keeps the pointer, so the copy is never freed.
        bridged_edit_break_words_at(strdup(" \t\n!\"#%&'()*+,-/:;<=>?@[\\]^`{|}~"))
        rl_completion_append_character = 0
        rl_completion_query_items = 1_000  // List all names without asking; the page returns fewer.
        rl_attempted_completion_function = { word, _, _ in
            rl_attempted_completion_over = 1  // Otherwise libedit completes file names.
            let matches = word.map { LineReader.complete(String(cString: $0)) } ?? []
            guard matches.count > 1, let list = calloc(matches.count + 1, MemoryLayout<OpaquePointer?>.stride)
            else { return nil }
            let words = list.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
            for (index, match) in matches.enumerated() { words[index] = strdup(match) }
            return words  // They end with nil. libedit frees the list and its strings.
        }
        // Ctrl-C discards the line and does not end the command, so the terminal must send it as a character.
        // `readline` resets the modes for every line and then calls this hook, before it shows the prompt.
        bridged_edit_before_prompt {
            rl_parse_and_bind("setty -d -isig")
            rl_prep_terminal(1)
            return 0
        }
        let interrupt: @convention(c) (Int32, Int32) -> Int32 = { _, _ in
            rl_done = 1  // Ends `readline`, which sets it to 0 for the next line.
            return 0
        }
        bridged_edit_bind("bridged-interrupt", interrupt, 0x03)
    }

    /// Returns the next line, an empty one after Ctrl-C, or nil at the end of the input.
    func next() -> String? {
        guard let bytes = readline("> ") else {
            Terminal.print(rl_done == 0 ? "" : "^C")
            return rl_done == 0 ? nil : ""
        }
        defer { free(bytes) }  // `readline` allocates each line with malloc and leaves it to its caller.
        let line = String(cString: bytes)
        keep(line)
        return line
    }

    /// Adds a new line to the history and its file. Only the user can read the file, because lines may hold secrets.
    private func keep(_ line: String) {
        guard !line.allSatisfy(\.isWhitespace), history.last != line else { return }
        add_history(line)
        history.append(line)
        guard let historyPath else { return }
        try? FileManager.default.createDirectory(
            at: URL(filePath: historyPath).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let descriptor = open(historyPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let text = history.suffix(LineReader.historyLength).map { $0 + "\n" }.joined()
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(Data(text.utf8))
    }
}
