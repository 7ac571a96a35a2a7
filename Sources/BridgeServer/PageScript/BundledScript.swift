public import WebFiles

/// Scripts of ours in `web/` that pages get beside `/bridge.js`, such as the adapter for Turbo. An app's own are not touched.
@MainActor public enum BundledScript {
    private static var packed: [String: String] = [:]

    /// A script as pages load it: packed, as `/bridge.js` is, so the same rules hold for whoever edits it.
    ///
    /// - Parameter name: a path in `web/`, such as `turbo.js`.
    /// - Throws: `MissingWebFile` where the executable was moved without its resources.
    public static func read(_ name: String) throws(MissingWebFile) -> String {
        if let script = packed[name] { return script }
        let script = BridgeScript.pack(String(decoding: try WebFiles.read(name), as: UTF8.self))
        packed[name] = script
        return script
    }
}
