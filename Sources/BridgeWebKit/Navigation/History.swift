import Foundation

/// A guess at the browser's history of the main frame, for `canGoBack` and `canGoForward`.
struct History {
    private var urls: [URL] = []
    private var index = -1

    func canGo(_ steps: Int) -> Bool { urls.indices.contains(index + steps) }

    mutating func go(_ steps: Int) {
        if canGo(steps) { index += steps }
    }

    /// Adds a document that `go` did not lead to. If it is the previous or the next one in the history, the user went
    /// there.
    mutating func visit(_ url: URL) {
        if urls.indices.contains(index), urls[index] == url { return }
        if canGo(-1), urls[index - 1] == url { return index -= 1 }
        if canGo(1), urls[index + 1] == url { return index += 1 }
        urls = urls.prefix(index + 1) + [url]
        index += 1
    }
}
