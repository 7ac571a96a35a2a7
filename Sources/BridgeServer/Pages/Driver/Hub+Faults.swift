import BridgeProtocol

/// The faults, which the drivers of pages apply.
extension Hub {
    /// - Returns: the fault's id.
    /// - Throws: `invalidRequest` if there are too many, if it is wrong, or if none of the pages that are shown can have it.
    func add(_ fault: Fault, webView: String?) throws(RPCError) -> String {
        if let mistake = fault.mistake { throw .invalidRequest(mistake.description) }
        guard !webViews.faults.isFull else {
            throw .invalidRequest("there are \(ToolRules<Fault>.limit) faults already. Remove some with faults.remove.")
        }
        let shown = pages.filter {
            $0.frame.isMainFrame && $0.isAttached && ToolRules<Fault>.applies(webView, to: $0.webView)
        }
        let objections = shown.compactMap { fault.objection(of: $0) }
        if objections.count == shown.count, let objection = objections.first { throw .invalidRequest(objection) }
        return webViews.add(fault, webView: webView)
    }

    /// Records that a page that has attached cannot have faults that were added before.
    func reportIgnoredFaults(of page: Page) {
        guard page.frame.isMainFrame else { return }
        let objections = webViews.faults.applying(to: page.webView).compactMap { entry in
            entry.rule.objection(of: page).map { (entry.id, $0) }
        }
        guard let (id, objection) = objections.first else { return }
        traffic.problem(
            "faultIgnored", "The fault \(id) does nothing here: \(objection)",
            hint: "Remove it with bridged unfault \(id), or faults.remove.", page: page)
    }
}

extension Fault {
    /// Explains why a page cannot have the fault; nil if it can.
    @MainActor fileprivate func objection(of page: Page) -> String? {
        switch page.engine {
        case nil:
            "\(page.id) is attached by its script tag, which cannot change requests. Show it in a browser that bridged drives: bridged open, or --in for flows."
        case .webkit where kind.name != .offline && kind.name != .slow:
            "\(page.id) is shown in WebKit, which can only make documents offline or slow. Show it in chromium or firefox."
        default: nil
        }
    }
}
