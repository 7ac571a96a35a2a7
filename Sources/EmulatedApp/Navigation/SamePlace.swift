import Foundation
import PathConfiguration

extension NavigationRules {
    /// Whether a proposal leads to where a screen is already.
    /// - Parameter kind: of the screen that would be made for it.
    func isSamePlace(
        _ screen: Screen?, _ proposal: VisitProposal, _ kind: Screen.Kind, _ query: QueryStringPresentation
    ) -> Bool {
        guard let screen else { return false }
        guard screen.isWeb else { return screen.kind == kind }
        guard comparesPathAndQuery else { return screen.url == proposal.url }
        // The path without trailing slashes, percent-decoded; host, scheme, port and fragment are not compared.
        guard screen.url.path == proposal.url.path else { return false }
        return query == .replace
            || screen.url.query(percentEncoded: true) == proposal.url.query(percentEncoded: true)
    }
}
