extension BridgeServer {
    private static var sharedServer: BridgeServer?

    /// The server of web views that are made without one. Set it, if at all, before the first web view is made, and start
    /// it before pages attach.
    ///
    /// If it is not set, the first use makes one that listens where `bridged serve` does, on port 2734. If files of the
    /// package are missing, the program ends and says which.
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
