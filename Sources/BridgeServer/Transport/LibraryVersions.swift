import CLibuv
import CWebsockets

/// The versions of the libraries of the transport that this process has loaded.
package enum LibraryVersions {
    /// libwebsockets adds the commit that its packager has built to the version.
    package static var libwebsockets: String {
        lws_get_library_version().map { String(String(cString: $0).prefix { $0 != "-" }) } ?? "unknown"
    }
    package static var libuv: String { uv_version_string().map { String(cString: $0) } ?? "unknown" }
}
