import BridgeProtocol

/// The document that sent a beacon or a call, read from the body.
@MainActor struct BodyAuthor {
    let document: String
    /// The params of `page.attach`, if they are of that document. Without them, no state can be taken over from another
    /// daemon.
    let attach: AttachPage?
    private let messageCount: Int

    /// Whether the document has been attached before, to any daemon.
    var resumes: Bool { attach?.resume ?? false }
    /// The size of `attach` in bytes, without its texts, which are short.
    var size: Int { (attach?.waiting?.count ?? 0) * MemoryLayout<Int>.size }

    /// Nil if the body cannot be read.
    init?(_ body: [UInt8], _ limits: JSON.Limits) {
        guard let json = try? JSON.parse(body, limits) else { return nil }
        let attach = json["attach"].flatMap { try? AttachPage(params: $0) }
        document = json["document"]?.string ?? attach?.document ?? ""
        self.attach = attach?.document == document ? attach : nil
        messageCount = json["messages"]?.count ?? 0
    }

    /// A sentence that says that the messages were not handled, and why.
    /// - Parameter page: the page the page of the document, if it has one.
    func loss(of page: Page?, because reason: String) -> String {
        let messages = messageCount == 1 ? "1 message" : "\(messageCount) messages"
        let author = page?.id ?? "the document '\(document.forText)'"
        return "\(messages) of \(author) could not be handled: \(reason)."
    }
}

extension Refusal {
    /// - Parameter loss: what could not be handled, and why.
    static func notHandled(_ code: ProblemCode, _ loss: String) -> Refusal {
        let hint =
            switch code {
            case .memoryUsedUp: "If you need more, raise \(setting("max-memory-bytes", "limits.memoryBytes"))."
            case .badCall: "The page gets an exception. Look at the problem clusterUnreachable or clusterRefused."
            default: "The page may have gone. Look at the problem clusterUnreachable or clusterRefused."
            }
        return Refusal(code: code, text: loss, hint: hint)
    }
}
