import BridgeProtocol

extension FirefoxContext {
    /// Changes the size of the page. WebDriver BiDi has no command for the colours that its user prefers.
    func emulate(_ emulation: PageEmulation) async throws {
        guard emulation.colorScheme == nil else {
            throw RPCError(
                .invalidParams,
                "The driver of Firefox cannot change prefers-color-scheme. Use --in chromium or webkit, or change the theme of your desktop."
            )
        }
        guard let size = emulation.size else { return }
        // Firefox does it at once, but answers only when the window draws, which a hidden one may never do.
        connection.send("browsingContext.setViewport") { writer in
            writer.member("context", window.id)
            writer.member(
                "viewport",
                object: { writer in
                    writer.member("width", size.width)
                    writer.member("height", size.height)
                })
        }
    }
}
