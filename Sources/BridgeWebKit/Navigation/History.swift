import Foundation

/// The main frame's documents as far as a page can tell: a guess, for `canGoBack` and `canGoForward`. A browser keeps
/// its own.
struct History {
    private var urls: [URL] = []
    private var index = -1

    func canGo(_ steps: Int) -> Bool { urls.indices.contains(index + steps) }

    mutating func go(_ steps: Int) {
        if canGo(steps) { index += steps }
    }

    /// A document that was not asked for by `go`. The one before or after the current one counts as the user's step
    /// there.
    mutating func visit(_ url: URL) {
        if urls.indices.contains(index), urls[index] == url { return }
        if canGo(-1), urls[index - 1] == url { return index -= 1 }
        if canGo(1), urls[index + 1] == url { return index += 1 }
        urls = urls.prefix(index + 1) + [url]
        index += 1
    }
}
