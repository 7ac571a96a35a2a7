import BridgeProtocol

/// Those who wait for the next page of a window, because the one before has left.
@MainActor final class NextPage {
    private var waiting: [Int: (DrivenPage?) -> Void] = [:]
    private var last = 0

    /// Calls `use` with the next page; with nil if none comes in time, or too many wait already.
    /// - Parameter timeout: how long; nil for the limit of questions.
    func wait(_ limits: DriverLimits, upTo timeout: Duration? = nil, _ use: @escaping (DrivenPage?) -> Void) {
        guard waiting.count < limits.questions else { return use(nil) }
        last += 1
        waiting[last] = use
        Task { [weak self, number = last] in
            try? await Task.sleep(for: timeout ?? limits.questionTimeout)
            self?.waiting.removeValue(forKey: number)?(nil)
        }
    }

    func shown(_ page: DrivenPage) {
        let list = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        for (_, use) in list { use(page) }
    }

    /// Asks native code about a load on the connection of the next page. Without one, the load is cancelled.
    func decide(
        _ question: NavigationQuestion, in webView: DrivenWebView?,
        decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        wait(webView?.limits ?? DriverLimits()) { page in
            if let page { return page.decide(question, decided: decided) }
            webView?.report(
                "The load of \(PageText.cut(question.url, to: 200)) was cancelled: its window shows no page that could ask native "
                    + "code about it.")
            decided(false)
        }
    }
}
