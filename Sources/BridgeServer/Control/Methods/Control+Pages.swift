import BridgeProtocol

extension Control {
    func addPageMethods() {
        dispatcher.on(ListPages.self) { [unowned self] _, _ throws(RPCError) in
            let pages = parts.documents.pages.map { $0.description(cluster?.node) }
            let others = try await cluster?.otherPages() ?? []
            let objection = cluster?.objection
            return ControlResult(members: { writer in
                writer.key("pages")
                writer.array { writer in
                    for page in pages { page.write(to: &writer) }
                    for page in others { page.write(to: &writer) }
                }
                writer.member("incomplete", ifPresent: objection)
            })
        }
        dispatcher.on(WaitForPage.self) { [unowned self] params, _ throws(RPCError) in
            if let found = try await pageElsewhere(params) { return ControlResult(found) }
            let page =
                switch params.readiness {
                case .attached:
                    try await pageWaiters.page(of: params.webView, within: params.timeout) { params.fits($0) }
                case .load: try await loads.page(of: params.webView, within: params.timeout) { params.fits($0) }
                }
            let description = page.description(cluster?.node)
            return ControlResult(description)
        }
        dispatcher.on(NavigatePage.self) { [unowned self] params, _ throws(RPCError) in
            let page = try await pageWaiters.page(at: params.address, within: params.timeout ?? pageTimeout)
            // Otherwise `navigate` would do nothing, and the caller would not notice.
            guard page.isAttached else { throw .away(page.id) }
            page.navigate(params.navigation)
            let id = page.id
            return ControlResult(members: { $0.member("page", id) })
        }
        dispatcher.on(SnapshotPage.self) { [unowned self] params, _ throws(RPCError) in try await snapshot(params) }
        dispatcher.on(InputIntoPage.self) { [unowned self] params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, timeout: params.timeout, for: "take input from tools")
            _ = try await command("page.input", params.input.members, in: page)
            return .empty
        }
        dispatcher.on(TapElement.self) { [unowned self] params, _ throws(RPCError) in
            try await tap(params)
            return .empty
        }
        dispatcher.on(EmulateScreen.self) { [unowned self] params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, timeout: params.timeout, for: "change their screen")
            _ = try await command("page.emulate", params.emulation.members, in: page)
            return .empty
        }
        dispatcher.on(LaunchPage.self) { [unowned self] params, _ throws(RPCError) in
            try addAppOrigin(params.url, at: "/url")
            let url = parts.missingScripts.launchURL(to: params.url, at: address)
            let userAgent = parts.webViews.scope(of: "main").phoneUserAgent
            return ControlResult(members: { writer in
                writer.member("url", url)
                writer.member("userAgent", ifPresent: userAgent)
            })
        }
        dispatcher.on(AddAppOrigin.self) { [unowned self] params, _ throws(RPCError) in
            try addAppOrigin(params.origin, at: "/origin")
            let origins = parts.origins.app.texts
            return ControlResult(members: { $0.member("origins", origins) })
        }
    }

    /// Waits until a page of this node or of another one fits.
    /// - Returns: the page of another node; nil if there is none in time, or if this node has one.
    private func pageElsewhere(_ params: WaitForPage) async throws(RPCError) -> JSONValue? {
        guard let cluster else { return nil }
        let end = parts.deadlines.now + params.timeout
        let changes = PageChanges(cluster, parts.documents)
        defer { changes.end() }
        repeat {
            if parts.documents.registry.mainPage(of: params.webView, where: params.fits) != nil { return nil }
            if let page = try await cluster.otherPages().last(where: params.fits) { return page }
        } while await changes.next(within: end - parts.deadlines.now)
        return nil
    }

    /// Taps on an element, for which it waits, also in the pages that replace the first one.
    private func tap(_ params: TapElement) async throws(RPCError) {
        let deadline = parts.deadlines.now + params.timeout
        while true {
            let left = max(.zero, deadline - parts.deadlines.now)
            let page = try await pageWaiters.page(at: params.address, within: left)
            let outcome: Page.TapOutcome
            do throws(ScriptError) {
                outcome = try await page.tap(params.element, within: max(.zero, deadline - parts.deadlines.now))
            } catch {
                if case .timedOut = error {
                    let missing = "No tap on \(params.element) was possible"
                    throw .waitTimedOut(missing, after: params.timeout, "A script in \(page.id) does not end.")
                }
                guard case .pageGone = error, case .webView = params.address, parts.deadlines.now < deadline else {
                    throw error.rpcError
                }
                continue
            }
            switch outcome {
            case .tapped: return
            case .missing: throw .waitTimedOut("No element \(params.element) came", after: params.timeout)
            case .refused(let reason):
                throw RPCError(.invalidRequest, "No finger can tap on \(params.element): \(reason).")
            }
        }
    }

    private func addAppOrigin(_ text: String, at place: String) throws(RPCError) {
        guard let origin = Origin(startOf: text) else {
            throw .invalidParams(at: place, "expected an origin such as http://localhost:3000")
        }
        parts.origins.add(origin)
    }

    /// How long a call waits for a page if it names no timeout.
    var pageTimeout: Duration { limits.pageTimeout }
}

extension RPCError {
    fileprivate static func away(_ page: String) -> RPCError {
        RPCError(
            .documentGone,
            "\(page) is away because its connection broke. Wait until it is back, or open the page again.",
            data: ["page": .string(page)])
    }
}

extension WaitForPage {
    @MainActor fileprivate func fits(_ page: Page) -> Bool { url?.matches(page.frame.url) ?? true }

    /// Whether a page of another node fits.
    fileprivate func fits(_ page: JSONValue) -> Bool {
        guard page["webView"]?.string == webView, page["attached"] == .bool(true),
            page["frame"]?["isMainFrame"] == .bool(true),
            readiness == .attached || page["readyState"] == .string("complete")
        else { return false }
        return url?.matches(page["frame"]?["url"]?.string ?? "") ?? true
    }
}

/// A page as control methods return it.
package struct PageDescription: Sendable, JSONObject {
    let page: String
    let node: String?
    let webView: String
    let frame: FrameInfo
    let title: String
    let readyState: String
    let userAgent: String
    let attachedAt: Timestamp
    let isAttached: Bool
    let status: Int?
    let engine: BrowserEngine?

    package var members: JSONMembers {
        [
            "page": page, "node": node, "webView": webView, "frame": frame, "title": title, "readyState": readyState,
            "userAgent": userAgent, "attachedAt": attachedAt, "attached": isAttached, "status": status,
            "engine": engine?.rawValue,
        ]
    }
}

extension Page {
    /// - Parameter node: the node of a cluster that has the page.
    package func description(_ node: String?) -> PageDescription {
        PageDescription(
            page: id, node: node, webView: webView, frame: frame, title: title, readyState: readyState,
            userAgent: userAgent,
            attachedAt: attachedAt, isAttached: isAttached, status: status, engine: engine)
    }
}
