extension BridgeServer {
    private static var sharedServer: BridgeServer?

    /// The server of web views that name no other. Set it, or use the one that is made at the first use, before the
    /// first web view is made; start it before pages can attach.
    ///
    /// The one that is made at the first use listens where `bridged serve` does, on port 2734. It needs nothing that
    /// could be missing but the package's own files: without them the program ends and says which.
    public static var shared: BridgeServer {
        get {
            if let sharedServer { return sharedServer }
            do {
                var configuration = Configuration()
                configuration.port = 2734
                let server = try BridgeServer(configuration)
                sharedServer = server
                return server
            } catch {
                fatalError("BridgeServer.shared can't be made: \(error)")
            }
        }
        set { sharedServer = newValue }
    }
}
