import CJansson

extension JSON {
    /// The version of jansson that this process has loaded.
    package static var libraryVersion: String { jansson_version_str().map { String(cString: $0) } ?? "unknown" }
}
