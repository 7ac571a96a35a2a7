import BridgeProtocol

extension DrivenPage {
    /// What a document says about itself when it attaches.
    package struct Introduction {
        package var url: String
        package var origin: String
        package var isMainFrame: Bool
        package var title: String
        /// `loading`, `interactive` or `complete`.
        package var readyState: String
        package var userAgent: String
        /// The name of a frame's document among the pages around it that share its handlers.
        var frameName: String?
        /// Whether the document has come back from the browser's back/forward cache.
        var isRestored = false

        package init(
            url: String, origin: String, isMainFrame: Bool, title: String = "", readyState: String = "loading",
            userAgent: String = ""
        ) {
            self.url = url
            self.origin = origin
            self.isMainFrame = isMainFrame
            self.title = title
            self.readyState = readyState
            self.userAgent = userAgent
        }
    }

    /// The document that the frame showed before this one. Its last messages are handled first.
    package struct Previous {
        let document: String
        let seq: Int
    }

    /// Writes the params of `page.attach`.
    func writeIntroduction(to writer: inout JSONWriter) {
        writer.member("document", document)
        writer.member("engine", webView.engine.rawValue)
        writer.member("webView", webView.name)
        writer.member(
            "frame",
            object: { writer in
                writer.member("url", introduction.url)
                writer.member("origin", introduction.origin)
                writer.member("isMainFrame", introduction.isMainFrame)
            })
        writer.member("title", introduction.title)
        writer.member("readyState", introduction.readyState)
        writer.member("userAgent", introduction.userAgent)
        writer.member("resume", run != nil)
        if run != nil { writer.member("waiting", outbox.waiting) }
        guard run == nil, let previous else { return }
        writer.member(
            "previous",
            object: { writer in
                writer.member("document", previous.document)
                writer.member("seq", previous.seq)
            })
    }
}
