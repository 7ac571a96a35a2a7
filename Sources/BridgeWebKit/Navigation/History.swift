import Foundation

/// An estimate of the browser's history of the main frame, for `canGoBack` and `backForwardList`. A page cannot read the
/// URLs of its history.
@MainActor struct History {
    private(set) var items: [WKBackForwardListItem] = []
    private var index = -1

    var current: WKBackForwardListItem? { item(0) }

    /// The item that is so many steps after the current one, or before it if the number is negative.
    func item(_ steps: Int) -> WKBackForwardListItem? {
        let (place, overflow) = index.addingReportingOverflow(steps)
        return !overflow && items.indices.contains(place) ? items[place] : nil
    }

    func canGo(_ steps: Int) -> Bool { item(steps) != nil }

    /// The items before the current one, and those after it.
    var back: [WKBackForwardListItem] { Array(items.prefix(max(0, index))) }
    var forward: [WKBackForwardListItem] { Array(items.dropFirst(index + 1)) }

    /// The number of steps from the current item to another one.
    func steps(to item: WKBackForwardListItem) -> Int? { items.firstIndex { $0 === item }.map { $0 - index } }

    mutating func go(_ steps: Int) {
        if canGo(steps) { index += steps }
    }

    /// Adds a document that was not reached by `go`. If its URL is the previous or the next one in the history, it is
    /// assumed that the user went back or forward.
    mutating func visit(_ url: URL) {
        if current?.url == url { return }
        if item(-1)?.url == url { return index -= 1 }
        if item(1)?.url == url { return index += 1 }
        items = items.prefix(index + 1) + [WKBackForwardListItem(url)]
        index += 1
    }
}
