public import BridgeProtocol

/// Examines a page, or finds out why no page is attached.
public struct Diagnosis: Sendable {
    /// The examined page; nil if there is none.
    public let page: JSON?
    /// The findings, the worst first.
    public let findings: [Finding]

    /// - Parameters:
    ///   - address: the param `page` or `webView` of control methods; empty for the newest page of `main`.
    ///   - scriptTag: the script tag that lets a page attach, for the texts of findings.
    /// - Throws: `ClientError` if the daemon can't be called.
    public init(
        _ daemon: DaemonClient, address: [JSONValue.Member], scriptTag: String
    ) throws(ClientError) {
        var pages: [JSON] = []
        try daemon.call("pages.list")["pages"]?.forEachElement { pages.append($0) }
        let problems = try Diagnosis.problems(daemon)
        guard let page = Diagnosis.pick(address, pages) else {
            self.page = nil
            findings = Diagnosis.withoutPage(address, pages, problems, scriptTag).inOrder
            return
        }
        let id = page["page"]?.string ?? ""
        var handlers: [String] = []
        try daemon.call("handlers.list")["handlers"]?.forEachElement { handler in
            let webView = handler["webView"]?.string
            if webView == nil || webView == page["webView"]?.string {
                handlers.append(handler["handler"]?.string ?? "")
            }
        }
        self.page = page
        findings =
            (try Diagnosis.look(at: id, daemon, handlers, scriptTag) + Diagnosis.trouble(of: id, problems)).inOrder
    }

    // MARK: A page

    /// Collects facts in the page, and makes findings from them. If the page can't answer, returns a finding that says
    /// so.
    private static func look(
        at page: String, _ daemon: DaemonClient, _ handlers: [String], _ scriptTag: String
    ) throws(ClientError) -> [Finding] {
        let params: [JSONValue.Member] = [
            .init("page", .string(page)), .init("body", .string(PageFacts.script)), .init("timeoutMs", 10_000),
        ]
        do throws(ClientError) {
            let result = try daemon.call("script.callAsync", params)
            guard let facts = try? ScriptValue(params: result, key: "value").decode(PageFacts.self) else {
                return .one(
                    .error, "unreadable", "The page's answer about itself can't be read.",
                    fix: "Please report this: it is a bug in bridged.")
            }
            return findings(facts, handlers: handlers.sorted(), scriptTag: scriptTag)
        } catch {
            guard case .error(let answered) = error else { throw error }
            return [silence(answered)]
        }
    }

    /// Makes the finding for a page that did not answer.
    private static func silence(_ error: RPCError) -> Finding {
        switch error.code {
        case .javaScriptException:
            Finding(
                .error, "evalFails", "No script runs in the page: \(error.message)",
                fix: "If this is about a Content-Security-Policy, add 'unsafe-eval' to its script-src in development.")
        case .timedOut:
            Finding(
                .error, "silent", "The page does not answer.",
                fix:
                    "It is paused in a debugger, frozen in the background, busy, or its connection is broken. Bring its tab to the front, and reload it."
            )
        default:
            Finding(.error, "gone", error.message, fix: "Reload the page.")
        }
    }

    /// Makes a finding for each code of the problems that the daemon has recorded about the page.
    private static func trouble(of page: String, _ problems: [JSON]) -> [Finding] {
        let own = problems.filter { $0["page"]?.string == page }
        let codes = own.compactMap { $0["code"]?.string }
        return codes.enumerated().filter { codes.firstIndex(of: $1) == $0 }.map { index, code in
            let count = codes.count { $0 == code }
            let times = count > 1 ? " (\(count) times; see bridged tail --filter reason:\(code))" : ""
            return Finding(
                .warning, code, (own[index]["text"]?.string ?? "") + times, fix: own[index]["hint"]?.string ?? "")
        }
    }

    // MARK: No page

    private static func withoutPage(
        _ address: [JSONValue.Member], _ pages: [JSON], _ problems: [JSON], _ scriptTag: String
    ) -> [Finding] {
        let refusals = problems.filter { $0["page"] == nil }.suffix(3).map { problem in
            Finding(
                .error, problem["code"]?.string ?? "", problem["text"]?.string ?? "",
                fix: problem["hint"]?.string ?? "")
        }
        let others = pages.map { "\($0["page"]?.string ?? "") (\($0["webView"]?.string ?? ""))" }
        let known =
            others.isEmpty
            ? "No page is attached." : "It is not attached. Attached pages: \(others.joined(separator: ", "))."
        let what = address.isEmpty ? known : "\(address.map { "\($0.key) \($0.value.text)" }.joined()): \(known)"
        return refusals
            + .one(
                .error, "noPage", what,
                fix: "Put this first in the page's <head>, load the page, and read its console: \(scriptTag)")
    }

    private static func pick(_ address: [JSONValue.Member], _ pages: [JSON]) -> JSON? {
        func text(_ key: String) -> String? {
            guard case .string(let text)? = address.first(where: { $0.key == key })?.value else { return nil }
            return text
        }
        if let id = text("page") { return pages.first { $0["page"]?.string == id } }
        let webView = text("webView") ?? "main"
        return pages.last { page in
            page["webView"]?.string == webView && page["frame"]?["isMainFrame"]?.bool == true
                && page["attached"]?.bool == true
        }
    }

    private static func problems(_ daemon: DaemonClient) throws(ClientError) -> [JSON] {
        var problems: [JSON] = []
        let params: [JSONValue.Member] = [.init("kind", "problem"), .init("limit", 10_000)]
        try daemon.call("traffic.query", params)["records"]?.forEachElement { problems.append($0) }
        return problems
    }
}
