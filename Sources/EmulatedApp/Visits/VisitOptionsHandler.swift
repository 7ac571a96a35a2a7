/// Keeps the options of a visit with a form's response for the next visit, as turbo-ios 7.1 does; see its
/// `VisitOptionsHandler.swift`.
///
/// It was meant for the restore visit that turbo-ios made by mistake after a form. If there is none, the next link shows
/// the form's response again; see turbo-ios' issue 224.
struct VisitOptionsHandler: Sendable {
    private var unhandled: VisitOptions?

    /// Returns the options with which a visit is made.
    mutating func process(_ options: VisitOptions) -> VisitOptions {
        guard options.response?.responseHTML == nil else {
            unhandled = options
            return options
        }
        return unhandled.take() ?? options
    }
}
