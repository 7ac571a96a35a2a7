import CJansson

extension JSON {
    /// The version of jansson that this process has loaded.
    package static var libraryVersion: String { jansson_version_str().map { String(cString: $0) } ?? "unknown" }

    /// Whether the trees of this jansson can have a key that contains NUL.
    package static let allowsNULInKeys = bridged_json_allows_nul_in_keys() != 0
}
