import BridgeProtocol

extension JSON {
    /// Parses a message of a browser's driver. Browsers write a lone surrogate of a page's text as an escape that is not
    /// JSON; it becomes U+FFFD.
    static func parseFromBrowser(_ message: UnsafeRawBufferPointer) -> JSON? {
        if let json = try? JSON.parse(message) { return json }
        let text = String(decoding: message, as: UTF8.self)
        return try? JSON.parse(text.replacing(/\\u[dD][89a-fA-F][0-9a-fA-F]{2}/, with: "\\ufffd"))
    }
}
