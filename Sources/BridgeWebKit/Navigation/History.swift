import BridgeProtocol
import Foundation

/// The browser's history of the main frame, for `canGoBack` and `backForwardList`.
///
/// It is an estimate until a driver reports the true one: a page cannot read the URLs of its history.
@MainActor struct History {
    private(set) var items: [WKBackForwardListItem] = []
    private var index = -1
    /// Whether it was put together from the documents that have attached.
    private(set) var isEstimate = true

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
        if isEstimate, canGo(steps) { index += steps }
    }

    /// Takes over what a driver reports. Entries that stay are the same objects, so that `go(to:)` still knows them.
    mutating func replace(by history: NavigationHistory) {
        let old = items
        items = history.entries.enumerated().map { place, entry in
            let url = URL(string: entry.url) ?? .blank
            let item = old.indices.contains(place) && old[place].url == url ? old[place] : WKBackForwardListItem(url)
            item.title = entry.title
            return item
        }
        index = history.index
        isEstimate = false
    }

    /// Estimates from now on, because a page attaches that is not driven.
    mutating func estimate() { isEstimate = true }

    /// Adds a document that was not reached by `go`. If its URL is the previous or the next one in the history, it is
    /// assumed that the user went back or forward.
    mutating func visit(_ url: URL) {
        guard isEstimate, current?.url != url else { return }
        if item(-1)?.url == url { return index -= 1 }
        if item(1)?.url == url { return index += 1 }
        items = items.prefix(index + 1) + [WKBackForwardListItem(url)]
        index += 1
    }
}
