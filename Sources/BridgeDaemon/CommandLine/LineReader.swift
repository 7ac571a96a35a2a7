import BridgeClient
import Foundation

/// Reads lines from a terminal, with editing, history and completion.
final class LineReader {
    private var editor: LineEditor
    private let prompt: String
    private let historyPath: String?
    private let complete: (String) -> (names: [String], rest: String)
    private static let historyLength = 1_000

    /// - Parameters:
    ///   - historyPath: the file that keeps the lines; nil keeps none.
    ///   - complete: gets the text before the cursor. Returns the names that match, and the text to insert.
    init(prompt: String, historyPath: String?, complete: @escaping (String) -> (names: [String], rest: String)) {
        self.prompt = prompt
        self.historyPath = historyPath
        self.complete = complete
        let text = historyPath.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
        editor = LineEditor(history: text.split(separator: "\n").suffix(LineReader.historyLength).map(String.init))
    }

    /// Returns the next line, or nil at the end of the input.
    func next() -> String? {
        let terminal = RawTerminal()
        defer { terminal.restore() }
        var decoder = KeyDecoder()
        show()
        while let byte = terminal.readByte() {
            guard let key = decoder.key(for: byte) else { continue }
            switch editor.handle(key) {
            case .edited: show()
            case .submitted(let line):
                write("\n")
                keep(line)
                return line
            case .wantsCompletion: completeLine()
            case .clearedScreen:
                write("\u{1B}[H\u{1B}[2J")
                show()
            case .interrupted:
                write("^C\n")
                show()
            case .ended:
                write("\n")
                return nil
            }
        }
        return nil
    }

    private func completeLine() {
        let (names, rest) = complete(editor.textBeforeCursor)
        editor.insert(rest)
        if rest.isEmpty, names.count > 1 { write("\n\(names.prefix(60).joined(separator: "  "))\n") }
        show()
    }

    private func show() {
        let (text, cursor) = editor.visible(width: RawTerminal.columns - prompt.count)
        write("\r\(prompt)\(text)\u{1B}[K\r\u{1B}[\(prompt.count + cursor)C")
    }

    private func write(_ text: String) { Terminal.print(text, terminator: "") }

    /// Writes the history to its file if this line is new. Only the user can read the file, because lines may hold
    /// secrets.
    private func keep(_ line: String) {
        guard let historyPath, editor.history.last == line else { return }
        let folder = (historyPath as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(historyPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let text = editor.history.suffix(LineReader.historyLength).map { $0 + "\n" }.joined()
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(Data(text.utf8))
    }
}

/// The terminal in raw mode, without its own line editing, until `restore`.
private struct RawTerminal {
    private let original: termios

    init() {
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        original = settings
        cfmakeraw(&settings)
        // Keep output processing, so that \n still begins a new line.
        settings.c_oflag = original.c_oflag
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func restore() {
        var settings = original
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }

    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return max(20, Int(size.ws_col))
    }
}
