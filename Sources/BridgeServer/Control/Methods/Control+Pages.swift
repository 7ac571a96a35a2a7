import BridgeProtocol

extension Control {
    func addPageMethods() {
        dispatcher.on(ListPages.self) { [hub] _, _ in
            let pages = hub.pages.map(\.description)
            return ControlResult(members: { $0.member("pages", pages) })
        }
        dispatcher.on(WaitForPage.self) { [pageWaiters] params, _ throws(RPCError) in
            let page = try await pageWaiters.page(of: params.webView, within: params.timeout) { page in
                params.url?.matches(page.frame.url) ?? true
            }
            let description = page.description
            return ControlResult(description)
        }
        dispatcher.on(NavigatePage.self) { [self] params, _ throws(RPCError) in
            let page = try await pageWaiters.page(at: params.address, within: params.timeout ?? pageTimeout)
            // Otherwise `navigate` would do nothing, and the caller would not notice.
            guard page.isAttached else { throw .away(page.id) }
            page.navigate(params.navigation)
            let id = page.id
            return ControlResult(members: { $0.member("page", id) })
        }
        dispatcher.on(SnapshotPage.self) { [self] params, _ throws(RPCError) in try await snapshot(params) }
        dispatcher.on(InputIntoPage.self) { [self] params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, timeout: params.timeout, for: "take input from tools")
            _ = try await command("page.input", params.input.members, in: page)
            return .empty
        }
        dispatcher.on(EmulateScreen.self) { [self] params, _ throws(RPCError) in
            let page = try await drivenPage(at: params.address, timeout: params.timeout, for: "change their screen")
            _ = try await command("page.emulate", params.emulation.members, in: page)
            return .empty
        }
        dispatcher.on(LaunchPage.self) { [unowned self] params, _ throws(RPCError) in
            try addAppOrigin(params.url, at: "/url")
            let url = hub.launchURL(to: params.url, at: address)
            let userAgent = hub.scope(of: "main").phoneUserAgent
            return ControlResult(members: { writer in
                writer.member("url", url)
                writer.member("userAgent", ifPresent: userAgent)
            })
        }
        dispatcher.on(AddAppOrigin.self) { [unowned self] params, _ throws(RPCError) in
            try addAppOrigin(params.origin, at: "/origin")
            let origins = hub.appOrigins.texts
            return ControlResult(members: { $0.member("origins", origins) })
        }
    }

    private func addAppOrigin(_ text: String, at place: String) throws(RPCError) {
        guard let origin = Origin(startOf: text) else {
            throw .invalidParams(at: place, "expected an origin such as http://localhost:3000")
        }
        hub.addAppOrigin(origin)
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

/// A page as control methods return it.
struct PageDescription: Sendable, JSONObject {
    let page: String
    let webView: String
    let frame: FrameInfo
    let title: String
    let readyState: String
    let userAgent: String
    let attachedAt: Timestamp
    let isAttached: Bool
    let status: Int?
    let engine: BrowserEngine?

    var members: JSONMembers {
        [
            "page": page, "webView": webView, "frame": frame, "title": title, "readyState": readyState,
            "userAgent": userAgent, "attachedAt": attachedAt, "attached": isAttached, "status": status,
            "engine": engine?.rawValue,
        ]
    }
}

extension Page {
    var description: PageDescription {
        PageDescription(
            page: id, webView: webView, frame: frame, title: title, readyState: readyState, userAgent: userAgent,
            attachedAt: attachedAt, isAttached: isAttached, status: status, engine: engine)
    }
}
