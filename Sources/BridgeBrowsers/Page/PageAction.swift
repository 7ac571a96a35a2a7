/// A click on a link or a form that was sent, after which a load may begin or a window may open.
struct PageAction {
    /// `link` or `form`.
    let type: String
    let url: String

    /// - Parameter text: the type and the URL.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] == "link" || words[0] == "form" else { return nil }
        (type, url) = (String(words[0]), String(words[1]))
    }

    /// Whether it begins a load. The URL of a form may get a query of its fields.
    func begins(_ load: String) -> Bool {
        type == "form" ? load.prefix { $0 != "?" } == url.prefix { $0 != "?" } : load == url
    }

    /// A script that reports the actions to its function `act`, because the browsers do not always say why a load begins
    /// or a window opens.
    static let reporter = """
        addEventListener("click", (event) => {
          const link = event.composedPath().find((element) => element.href && /^a(rea)?$/i.test(element.localName))
          if (link && !event.defaultPrevented) act(`link ${link.href}`)
        })
        addEventListener("submit", (event) => {
          const { target, submitter } = event
          if (event.defaultPrevented) return
          act(`form ${submitter?.hasAttribute("formaction") ? submitter.formAction : target.action}`)
        })
        """
}

/// What the user has done lately. Only the latest actions can have begun a load or opened a window.
struct PageActions {
    private var actions: [PageAction] = []

    mutating func note(_ action: PageAction, _ limits: DriverLimits) {
        actions = (actions + [action]).suffix(limits.notes)
    }

    /// The type of the action that has begun a load, if one has. All actions are forgotten then.
    mutating func takeType(of load: String) -> String? {
        defer { actions = [] }
        return actions.last { $0.begins(load) }?.type
    }
}
