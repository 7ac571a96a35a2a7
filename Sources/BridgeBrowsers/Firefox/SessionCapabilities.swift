import BridgeProtocol

/// The session's capabilities: the driver answers the dialogs of pages, and leaving a page needs no confirmation.
struct SessionCapabilities: JSONWritable {
    /// Whether Firefox closes its own panel, so that native code can choose.
    let dismissesOpenPanels: Bool

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member(
                "alwaysMatch",
                object: { writer in
                    writer.member(
                        "unhandledPromptBehavior",
                        object: { writer in
                            writer.member("default", "ignore")
                            writer.member("beforeUnload", "accept")
                            if dismissesOpenPanels { writer.member("file", "dismiss") }
                        })
                })
        }
    }
}
