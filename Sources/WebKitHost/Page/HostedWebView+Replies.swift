import BridgeBrowsers

extension HostedWebView {
    /// Gives a reply to the page. If WebKit may have dropped its context (`ScriptValueCodec`), a script makes WebKit use the
    /// present one first; a page in which no script can run cannot get the reply, either.
    func settle(_ reply: PendingReply, _ end: MessageEnd) {
        if lateReplies.isEmpty, let codec = ScriptValueCodec.current { return reply.settle(end, with: codec) }
        lateReplies.append((reply, end))
        guard lateReplies.count == 1 else { return }
        evaluate(PageScript(.script(source: "0", sourceURL: nil), world: HostedWebView.world)) { [weak self] _ in
            guard let self else { return }
            let replies = lateReplies
            lateReplies = []
            guard let codec = ScriptValueCodec.current else { return }
            for (reply, end) in replies { reply.settle(end, with: codec) }
        }
    }

    /// The content world of this process's own scripts.
    static let world = "bridged"
}
