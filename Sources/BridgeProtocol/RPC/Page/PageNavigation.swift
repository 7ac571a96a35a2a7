/// The destination of `page.navigate`.
public enum PageNavigation: JSONObject, Sendable, Equatable {
    case url(String)
    case reload
    /// A number of steps in the session history. A negative number goes back.
    case delta(Int)

    public var members: JSONMembers {
        switch self {
        case .url(let url): ["url": url]
        case .reload: ["reload": true]
        case .delta(let steps): ["delta": steps]
        }
    }

    /// Reads the params of `page.navigate`. Returns nil if they name no destination.
    package init?(_ params: JSON) {
        if let url = params["url"]?.string {
            self = .url(url)
        } else if params["reload"]?.bool == true {
            self = .reload
        } else if let steps = params["delta"]?.wholeNumber {
            self = .delta(steps)
        } else {
            return nil
        }
    }
}
