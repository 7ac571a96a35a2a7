import BridgeProtocol

/// The pages that are attached, and the ways to new ones. On the main actor.
@MainActor struct PageMethods {
    let parts: ServerParts
    let nodes: ClusterNodes
    let pages: PageWaiters
    let loads: PageLoads

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(ListPages.self) { _, _ throws(RPCError) in
            let pages = parts.documents.pages.map(description)
            let others = try await nodes.cluster?.otherPages() ?? []
            let (visible, objection) = (self.pages.visiblePage?.id, nodes.cluster?.objection)
            return ControlResult(members: { writer in
                writer.key("pages")
                writer.array { writer in
                    for page in pages { page.write(to: &writer) }
                    for page in others { page.write(to: &writer) }
                }
                writer.member("visible", ifPresent: visible)
                writer.member("incomplete", ifPresent: objection)
            })
        }
        dispatcher.on(WaitForPage.self) { params, _ throws(RPCError) in
            if let found = try await pageElsewhere(params) { return ControlResult(found) }
            let page =
                switch params.readiness {
                case .attached: try await pages.page(at: params.address, within: params.timeout) { params.fits($0) }
                case .load: try await loads.page(at: params.address, within: params.timeout) { params.fits($0) }
                }
            return ControlResult(description(of: page))
        }
        dispatcher.on(NavigatePage.self) { params, _ throws(RPCError) in
            let page = try await pages.page(at: params.address, within: params.timeout)
            let id = page.id
            // Otherwise `navigate` would do nothing, and the caller would not notice.
            guard page.isAttached else {
                throw RPCError(
                    .documentGone,
                    "\(id) is away because its connection broke. Wait until it is back, or open the page again.",
                    data: ["page": .string(id)])
            }
            page.navigate(params.navigation)
            return ControlResult(members: { $0.member("page", id) })
        }
        dispatcher.on(LaunchPage.self) { params, _ throws(RPCError) in
            try addAppOrigin(params.url, at: "/url")
            let url = parts.missingScripts.launchURL(to: params.url)
            let userAgent = parts.webViews.scope(of: "main").phoneUserAgent
            return ControlResult(members: { writer in
                writer.member("url", url)
                writer.member("userAgent", ifPresent: userAgent)
            })
        }
        dispatcher.on(AddAppOrigin.self) { params, _ throws(RPCError) in
            try addAppOrigin(params.origin, at: "/origin")
            let origins = parts.origins.app.texts
            return ControlResult(members: { $0.member("origins", origins) })
        }
    }

    private func description(of page: Page) -> PageDescription { PageDescription(page, node: nodes.cluster?.node) }

    /// Waits until a page of this node or of another one fits.
    /// - Returns: the page of another node; nil if there is none in time, or if this node has one.
    private func pageElsewhere(_ params: WaitForPage) async throws(RPCError) -> JSONValue? {
        guard let cluster = nodes.cluster else { return nil }
        let end = parts.deadlines.now + params.timeout
        let changes = PageChanges(cluster, parts.documents)
        defer { changes.end() }
        repeat {
            if pages.pageNow(at: params.address, where: params.fits) != nil { return nil }
            if let page = try await cluster.otherPages().last(where: params.fits) { return page }
        } while await changes.next(within: end - parts.deadlines.now)
        return nil
    }

    private func addAppOrigin(_ text: String, at place: String) throws(RPCError) {
        guard let origin = Origin(startOf: text) else {
            throw .invalidParams(at: place, "expected an origin such as http://localhost:3000")
        }
        parts.origins.add(origin)
    }
}

extension WaitForPage {
    fileprivate var address: PageAddress { webView.map { .webView($0) } ?? .visible }

    @MainActor fileprivate func fits(_ page: Page) -> Bool { url?.matches(page.frame.url) ?? true }

    /// Whether a page of another node fits.
    fileprivate func fits(_ page: JSONValue) -> Bool {
        guard page["webView"]?.string == webView ?? "main", page["attached"] == .bool(true),
            page["frame"]?["isMainFrame"] == .bool(true),
            readiness == .attached || page["readyState"] == .string("complete")
        else { return false }
        return url?.matches(page["frame"]?["url"]?.string ?? "") ?? true
    }
}

/// A page as control methods return it.
package struct PageDescription: Sendable, JSONObject {
    private let page: String
    private let node: String?
    private let webView: String
    private let frame: FrameInfo
    private let title: String
    private let readyState: String
    private let userAgent: String
    private let attachedAt: Timestamp
    private let isAttached: Bool
    private let status: Int?
    private let engine: BrowserEngine?
    private let device: DeviceInfo?
    private let address: String?
    private let visibility: String?

    /// - Parameter node: the node of a cluster that has the page.
    @MainActor package init(_ page: Page, node: String?) {
        (self.page, self.node, webView, frame) = (page.id, node, page.webView, page.frame)
        (title, readyState, userAgent) = (page.title, page.readyState, page.userAgent)
        (attachedAt, isAttached, status, engine) = (page.attachedAt, page.isAttached, page.status, page.engine)
        device = page.device
        address = page.isObserved ? page.identity.sender.address : nil
        visibility = page.isObserved ? page.visibility : nil
    }

    package var members: JSONMembers {
        [
            "page": page, "node": node, "webView": webView, "frame": frame, "title": title, "readyState": readyState,
            "userAgent": userAgent, "attachedAt": attachedAt, "attached": isAttached, "status": status,
            "engine": engine?.rawValue, "device": device == nil ? nil : true, "model": device?.model,
            "system": device?.system, "framework": device?.framework, "deviceId": device?.id, "address": address,
            "visibility": visibility,
        ]
    }
}
