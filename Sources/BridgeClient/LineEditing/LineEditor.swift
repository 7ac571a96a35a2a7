/// A line that is edited at a terminal, with a history. It does no I/O: the caller passes each key to ``handle(_:)``,
/// and acts on the outcome.
public struct LineEditor: Sendable {
    public enum Key: Sendable, Equatable {
        case character(Character)
        case enter, tab, backspace, delete
        case left, right, home, end, up, down
        /// Ctrl-K, Ctrl-U and Ctrl-W.
        case killToEnd, killToStart, killWord
        /// Ctrl-L.
        case clearScreen
        /// Ctrl-C.
        case interrupt
        /// Ctrl-D: deletes a character, or ends the input if the line is empty.
        case endOfInput
    }

    public enum Outcome: Sendable, Equatable {
        /// Show the line again.
        case edited
        case submitted(String)
        case wantsCompletion
        case clearedScreen
        /// The line was discarded.
        case interrupted
        /// The input has ended.
        case ended
    }

    /// The submitted lines, the newest last.
    public private(set) var history: [String]
    private var line: [Character] = []
    private var cursor = 0
    /// The index in the history of the line that is shown; `history.count` while the new line is shown.
    private var place: Int
    /// The text of the new line, while a line of the history is shown.
    private var draft: [Character] = []

    public init(history: [String] = []) {
        self.history = history
        place = history.count
    }

    public var text: String { String(line) }
    public var textBeforeCursor: String { String(line[..<cursor]) }

    public mutating func handle(_ key: Key) -> Outcome {
        switch key {
        case .enter: return .submitted(submit())
        case .tab: return .wantsCompletion
        case .clearScreen: return .clearedScreen
        case .interrupt:
            begin()
            return .interrupted
        case .endOfInput where line.isEmpty: return .ended
        case .character(let character): insert(String(character))
        case .up: show(place - 1)
        case .down: show(place + 1)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(line.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = line.count
        case .backspace: remove(max(0, cursor - 1)..<cursor)
        case .delete, .endOfInput: remove(cursor..<min(line.count, cursor + 1))
        case .killToEnd: remove(cursor..<line.count)
        case .killToStart: remove(0..<cursor)
        case .killWord: remove(startOfWord..<cursor)
        }
        return .edited
    }

    public mutating func insert(_ text: String) {
        line.insert(contentsOf: text, at: cursor)
        cursor += text.count
    }

    /// Returns the text to show, and the cursor's position in it. If the line is too long, only a part is shown.
    /// - Parameter width: the number of columns after the prompt.
    public func visible(width: Int) -> (text: String, cursor: Int) {
        guard line.count >= width else { return (text, cursor) }
        let start = max(0, cursor - width + 1)
        return (String(line[start..<min(line.count, start + width - 1)]), cursor - start)
    }

    private mutating func submit() -> String {
        let text = self.text
        if !text.allSatisfy(\.isWhitespace), history.last != text { history.append(text) }
        begin()
        return text
    }

    private mutating func begin() {
        line = []
        cursor = 0
        place = history.count
    }

    private mutating func show(_ place: Int) {
        guard (0...history.count).contains(place) else { return }
        if self.place == history.count { draft = line }
        self.place = place
        line = place == history.count ? draft : Array(history[place])
        cursor = line.count
    }

    private mutating func remove(_ range: Range<Int>) {
        line.removeSubrange(range)
        cursor = range.lowerBound
    }

    private var startOfWord: Int {
        var start = cursor
        while start > 0, line[start - 1].isWhitespace { start -= 1 }
        while start > 0, !line[start - 1].isWhitespace { start -= 1 }
        return start
    }
}
