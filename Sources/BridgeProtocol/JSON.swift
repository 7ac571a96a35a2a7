private import CJansson

/// Placeholder.
public enum JSON {
    static let version = JANSSON_MAJOR_VERSION
}
