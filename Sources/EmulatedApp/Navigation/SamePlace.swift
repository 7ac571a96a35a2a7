import Foundation
import PathConfiguration

extension Framework {
    /// Whether a screen already shows a proposal's place.
    /// - Parameter kind: the kind of the screen that the proposal would get.
    func isSamePlace(
        _ screen: Screen?, _ proposal: VisitProposal, _ kind: Screen.Kind, _ query: QueryStringPresentation
    ) -> Bool {
        guard let screen else { return false }
        guard samePlace != .never else { return false }
        guard screen.isWeb || comparesNativeScreensByURL else { return screen.kind == kind }
        guard samePlace == .samePathAndQuery else { return screen.url == proposal.url }
        // `path` is percent-decoded and has no trailing slash. Scheme, host, port and fragment do not count.
        guard screen.url.path == proposal.url.path else { return false }
        return query == .replace
            || screen.url.query(percentEncoded: true) == proposal.url.query(percentEncoded: true)
    }
}
