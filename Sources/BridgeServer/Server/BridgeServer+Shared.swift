import BridgeProtocol

extension BridgeServer {
    private static var sharedServer: BridgeServer?

    /// The server of web views that are made without naming one. If you set it, do so before the first web view is
    /// made, and start the server before pages attach.
    ///
    /// If it is not set, the first use makes a server with the default configuration and the port of `bridged serve`,
    /// 2734. If files of the package are missing, the program ends with an error that names them.
    public static var shared: BridgeServer {
        get {
            if let sharedServer { return sharedServer }
            do {
                let server = try makeShared()
                sharedServer = server
                return server
            } catch {
                fatalError("BridgeServer.shared can't be made: \(error)")
            }
        }
        set { sharedServer = newValue }
    }

    /// Makes the shared server at its first use. Tests of an app set it before the first web view is made.
    package static var makeShared: @MainActor () throws -> BridgeServer = {
        var configuration = Configuration()
        configuration.port = DaemonEndpoint.defaultPort
        return try BridgeServer(configuration)
    }
}
