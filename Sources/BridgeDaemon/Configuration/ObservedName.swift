/// The name of an object or function of a page, such as `myApp.bridge`.
struct ObservedName {
    /// The name without `window.`.
    let text: String

    /// - Returns: nil if the text is anything but names with dots between them.
    init?(_ text: String) {
        let name = text.hasPrefix("window.") ? text.dropFirst("window.".count) : text[...]
        guard name.wholeMatch(of: #/[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*/#) != nil else { return nil }
        self.text = String(name)
    }
}
