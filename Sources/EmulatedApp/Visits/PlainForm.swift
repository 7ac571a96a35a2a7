import BridgeWebKit

/// A form that the page sends by itself, without Turbo. Native code makes no visit for it: the web view shows the result, and
/// the screen stays.
@MainActor struct PlainForm {
    /// Whether the page has sent the form, and the load has not begun.
    var isSent = false
    /// Whether the web view shows the result, which belongs to no visit.
    private(set) var showsResult = false
    /// The user scripts that are withheld while the result loads on Android, where it gets none.
    private var withheldScripts: [WKUserScript] = []

    /// Begins the load of the result.
    /// - Returns: false if no form was sent.
    mutating func beginLoad() -> Bool {
        guard isSent else { return false }
        (isSent, showsResult) = (false, true)
        return true
    }

    /// Notes that another document replaces the result.
    mutating func forgetResult() { showsResult = false }

    /// Gives up a form whose load was not allowed: the page stays.
    mutating func cancel() { (isSent, showsResult) = (false, false) }

    /// Keeps the user scripts that the result does not get.
    /// - Returns: false if some are withheld already.
    mutating func withhold(_ scripts: [WKUserScript]) -> Bool {
        guard withheldScripts.isEmpty else { return false }
        withheldScripts = scripts
        return true
    }

    /// Returns the scripts that the following documents get again.
    mutating func takeScripts() -> [WKUserScript] {
        defer { withheldScripts = [] }
        return withheldScripts
    }
}
