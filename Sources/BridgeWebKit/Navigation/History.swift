import Foundation

/// An estimate of the browser's history of the main frame, for `canGoBack` and `canGoForward`. A page cannot read the
/// URLs of its history.
struct History {
    private var urls: [URL] = []
    private var index = -1

    func canGo(_ steps: Int) -> Bool { urls.indices.contains(index + steps) }

    mutating func go(_ steps: Int) {
        if canGo(steps) { index += steps }
    }

    /// Adds a document that was not reached by `go`. If its URL is the previous or the next one in the history, it is
    /// assumed that the user went back or forward.
    mutating func visit(_ url: URL) {
        if urls.indices.contains(index), urls[index] == url { return }
        if canGo(-1), urls[index - 1] == url { return index -= 1 }
        if canGo(1), urls[index + 1] == url { return index += 1 }
        urls = urls.prefix(index + 1) + [url]
        index += 1
    }
}
