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
}
