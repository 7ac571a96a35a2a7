public import BridgeProtocol

/// Examines a page, or finds out why no page is attached.
public struct Diagnosis: Sendable {
    /// The examined page; nil if there is none.
    public let page: JSON?
    /// The findings, the worst first.
    public let findings: [Finding]

    /// - Parameters:
    ///   - address: the param `page` or `webView` of control methods; empty for the page that the user sees.
    ///   - builtIn: the names of the components that bridged has.
    ///   - scriptTag: the script tag that lets a page attach, for the texts of findings.
    /// - Throws: `ClientError` if the daemon can't be called.
    public init(
        _ daemon: DaemonClient, address: [JSONValue.Member], builtIn: [String], scriptTag: String
    ) throws(ClientError) {
        var pages: [JSON] = []
        let list = try daemon.call("pages.list")
        list["pages"]?.forEachElement { pages.append($0) }
        guard let page = Diagnosis.pick(address, pages, visible: list["visible"]?.string) else {
            self.page = nil
            let records = try Diagnosis.records(daemon, "kind:problem,page")
            findings = Diagnosis.withoutPage(address, pages, records, scriptTag).inOrder
            return
        }
        let id = page["page"]?.string ?? ""
        var handlers: [String] = []
        try daemon.call("handlers.list")["handlers"]?.forEachElement { handler in
            let webView = handler["webView"]?.string
            if webView == nil || webView == page["webView"]?.string {
                let name = handler["handler"]?.string ?? ""
                if !handlers.contains(name) { handlers.append(name) }
            }
        }
        self.page = page
        let attachment = PageAttachment(page)
        let seen: [Finding]
        if case .device(let device) = attachment {
            seen = Diagnosis.findings(observed: device, try Diagnosis.records(daemon, "page:\(id) kind:message"))
        } else {
            seen = try Diagnosis.look(at: id, daemon, attachment) { facts in
                Diagnosis.findings(
                    facts, by: attachment, handlers: handlers.sorted(), builtIn: builtIn, scriptTag: scriptTag)
            }
        }
        let problems = try Diagnosis.records(daemon, "page:\(id) kind:problem")
        let messages =
            try Diagnosis.records(daemon, "page:\(id) kind:message verdict:awaitingReply")
            + Diagnosis.records(daemon, "page:\(id) kind:reply,console")
        let ofScreens = try Diagnosis.records(daemon, "kind:problem reason:screenNotRegistered")
        findings =
            (Diagnosis.withoutGuesses(seen, problems) + Diagnosis.trouble(problems + ofScreens)
            + Diagnosis.messages(messages, at: .now)).inOrder
    }

    // MARK: A page

    /// Collects facts in the page, and makes findings from them. If the page can't answer, returns a finding that says
    /// so.
    private static func look(
        at page: String, _ daemon: DaemonClient, _ attachment: PageAttachment, _ findings: (PageFacts) -> [Finding]
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
            return findings(facts)
        } catch {
            guard case .error(let answered) = error else { throw error }
            return [silence(answered, attachment)]
        }
    }

    /// Makes the finding for a page that did not answer.
    static func silence(_ error: RPCError, _ attachment: PageAttachment) -> Finding {
        switch error.code {
        case .javaScriptException:
            Finding(
                .error, "evalFails", "No script runs in the page: \(error.message)",
                fix: attachment.isDriven
                    ? "Look for what the page has replaced that every script needs, such as Promise or fetch."
                    : "If this is about a Content-Security-Policy, add 'unsafe-eval' to its script-src in development.")
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

    /// Leaves out why components may be missing if the app's build is known, which says why.
    static func withoutGuesses(_ findings: [Finding], _ problems: [JSON]) -> [Finding] {
        guard problems.contains(where: { $0["code"]?.string == "componentNotRegistered" }) else { return findings }
        return findings.filter { !["componentMissing", "componentLeftOut", "componentNotListed"].contains($0.code) }
    }

    /// Makes a finding for each problem about the app's build, and one for each other code of the problems that the daemon
    /// has recorded about the page.
    static func trouble(_ problems: [JSON]) -> [Finding] {
        func isOfBuild(_ problem: JSON) -> Bool { problem["code"]?.string?.hasSuffix("NotRegistered") ?? false }
        var texts: Set<String> = []
        let ofBuild = problems.filter { isOfBuild($0) && texts.insert($0["text"]?.string ?? "").inserted }
            .map {
                Finding(.warning, $0["code"]?.string ?? "", $0["text"]?.string ?? "", fix: $0["hint"]?.string ?? "")
            }
        return ofBuild + byCode(problems.filter { !isOfBuild($0) })
    }

    private static func byCode(_ problems: [JSON]) -> [Finding] {
        let codes = problems.compactMap { $0["code"]?.string }
        return codes.enumerated().filter { codes.firstIndex(of: $1) == $0 }.map { index, code in
            let times = times(codes.count { $0 == code }, "reason:\(code)")
            return Finding(
                .warning, code, (problems[index]["text"]?.string ?? "") + times,
                fix: problems[index]["hint"]?.string ?? "")
        }
    }

    // MARK: No page

    static func withoutPage(
        _ address: [JSONValue.Member], _ pages: [JSON], _ records: [JSON], _ scriptTag: String, at now: Timestamp = .now
    ) -> [Finding] {
        let attached = pages.filter { $0["attached"]?.bool == true }
        let ids = attached.compactMap { $0["page"]?.string }
        let known = zip(ids, attached).map { "\($0) (\($1["webView"]?.string ?? ""))" }
        let what =
            switch address.first {
            case let member? where member.key == "page": "The page \(member.value.text) is not attached."
            case let member?: "No page is attached in the web view \(member.value.text)."
            case nil: known.isEmpty ? "No page is attached." : "No page is attached in the web view \"main\"."
            }
        let others = known.first.map { _ in
            " Attached pages: \(known.joined(separator: ", ")). To examine one: bridged doctor --page \(ids[0])"
        }
        return causes(records, attached: ids, at: now)
            + .one(
                .error, "noPage", what + (others ?? ""),
                fix: attached.contains { PageAttachment($0).isDriven }
                    ? "Wait until the browser shows the page, or open it: bridged open URL"
                    : "Show the page with bridged open URL, or put this first in its <head>, load it, and read its "
                        + "console: \(scriptTag)")
    }

    private static func pick(_ address: [JSONValue.Member], _ pages: [JSON], visible: String?) -> JSON? {
        func text(_ key: String) -> String? {
            guard case .string(let text)? = address.first(where: { $0.key == key })?.value else { return nil }
            return text
        }
        if let id = text("page") ?? (address.isEmpty ? visible : nil) {
            return pages.first { $0["page"]?.string == id }
        }
        let shown = pages.filter { $0["frame"]?["isMainFrame"]?.bool == true && $0["attached"]?.bool == true }
        let webView = text("webView") ?? "main"
        return shown.last { $0["webView"]?.string == webView }
            ?? (address.isEmpty ? shown.last { $0["device"]?.bool == true } : nil)
    }

    /// Returns the records that match a filter, the oldest first.
    private static func records(_ daemon: DaemonClient, _ filter: String) throws(ClientError) -> [JSON] {
        var records: [JSON] = []
        var after = 0
        while true {
            let params: [JSONValue.Member] = [
                .init("filter", .string(filter)), .init("limit", 10_000), .init("after", .number(Double(after))),
            ]
            let answer = try daemon.call("traffic.query", params)
            answer["records"]?.forEachElement { records.append($0) }
            guard answer["more"]?.bool == true, let next = answer["next"]?.wholeNumber, next > after else {
                return records
            }
            after = next
        }
    }
}
