import BridgeProtocol
import BridgeTraffic

/// An uncaught error of a page that posts to a handler which is not there. As in WebKit, `messageHandlers.NAME` is undefined
/// then: no message exists, so this error is the only trace of it.
///
/// The texts are those of Chromium (`Cannot read properties of undefined (reading 'postMessage')`), Firefox (`can't access
/// property "postMessage", webkit.messageHandlers.NAME is undefined`) and WebKit (`undefined is not an object (evaluating
/// 'webkit.messageHandlers.NAME.postMessage')`).
struct UndefinedHandler: Equatable {
    /// The name as the page wrote it; nil if the browser does not say it.
    let name: String?

    /// - Returns: nil if the entry is another one.
    init?(_ entry: ConsoleEntry) {
        let text = entry.text
        guard entry.kind != .console, text.contains("TypeError"), text.contains("undefined"),
            !text.contains("is not a function")
        else { return nil }
        if let list = text.firstRange(of: "messageHandlers") {
            let access = text[list.upperBound...]
            // The list itself is undefined.
            guard access.first.map({ ".?[".contains($0) }) == true else { return nil }
            name = UndefinedHandler.name(after: access)
        } else if text.contains("(reading 'postMessage')") {
            name = nil
        } else {
            return nil
        }
    }

    /// Reads the name in `.camera.postMessage`, `?.camera` or `["camera"]`.
    /// - Returns: nil if the page computes the name.
    private static func name(after access: Substring) -> String? {
        let rest = access.first == "?" ? access.dropFirst() : access
        guard rest.hasPrefix("[") || rest.hasPrefix(".[") else {
            let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || "_$".contains($0) }
            return name.isEmpty ? nil : String(name)
        }
        let inside = rest.drop { ".[".contains($0) }
        guard let quotationMark = inside.first, "\"'`".contains(quotationMark) else { return nil }
        let name = inside.dropFirst().prefix { $0 != quotationMark }
        return name.isEmpty ? nil : String(name)
    }

    func text(_ entry: ConsoleEntry) -> String {
        let place = entry.url.map { " at \($0)\(entry.line.map { ":\($0)" } ?? "")" } ?? ""
        return name.map { "The page posts to a handler '\($0)', which is not there: an uncaught error\(place)." }
            ?? "The page posts to something that is undefined, probably a handler: an uncaught error\(place)."
    }

    /// - Parameter names: those of the handlers that the page has.
    func hint(_ names: [String]) -> String {
        if let name, names.contains(name) {
            return "The handler is registered now. Register it before the page loads, or load the page again."
        }
        let nearest = name.flatMap { EditDistance.nearest(to: $0, in: names) }.map { "Did you mean \($0)? " } ?? ""
        let list = names.isEmpty ? "none is registered" : "these are: \(names.joined(separator: ", "))"
        return "\(nearest)As in WebKit, messageHandlers has only the handlers that are registered, and \(list). "
            + (name.map(HandlerAdvice.receive)
                ?? "The error does not say the name; bridged doctor looks for names in the page's scripts.")
    }
}

extension Delivery {
    /// Records what a page writes to its console. An uncaught error because a handler is not there is a problem, too.
    func record(_ entry: ConsoleEntry, of page: Page) {
        traffic.append(.console(entry), .toNative, page)
        guard !page.isObserved, let handler = UndefinedHandler(entry) else { return }
        let names = webViews.handlerInfo(of: page.webView).map(\.name)
        traffic.problem(.handlerUndefined, handler.text(entry), hint: handler.hint(names), page: page)
    }
}
