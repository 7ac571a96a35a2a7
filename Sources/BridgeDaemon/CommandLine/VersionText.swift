import BridgeProtocol
import BridgeServer
import TrafficDatabase

/// What `bridged --version` prints. libedit does not say its version.
enum VersionText {
    static var text: String {
        """
        bridged \(BridgeServer.version) (\(Build.commit ?? "development build"))
        libwebsockets \(LibraryVersions.libwebsockets), libuv \(LibraryVersions.libuv), \
        jansson \(JSON.libraryVersion), SQLite \(TrafficDatabase.libraryVersion)
        """
    }
}
