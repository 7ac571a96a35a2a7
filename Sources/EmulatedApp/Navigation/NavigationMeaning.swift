public import PathConfiguration

extension NavigationMeaning {
    /// Describes what the app does with properties: one row for each state of the modal, with equal rows merged.
    public static func all(of properties: InterpretedProperties, framework: Framework = .default)
        -> [NavigationMeaning]
    {
        guard properties.platform == .ios else { return [] }
        let isHistorical = properties.isHistoricalLocation && framework.knowsHistoricalLocations
        let texts = ModalDepth.allCases.map { depth in
            // A historical location dismisses the modal first, so the rule for no modal applies to it.
            let dismissal = isHistorical && depth != .none ? "dismiss, then " : ""
            let rule = framework.rule(
                properties.presentation, properties.context, modal: isHistorical ? .none : depth,
                isHistorical: isHistorical)
            return dismissal + rule.text(whenUp: isHistorical ? .none : depth)
        }
        return merged(texts)
    }

    private static func merged(_ texts: [String]) -> [NavigationMeaning] {
        if Set(texts).count == 1 { return [NavigationMeaning(state: "any", text: texts[0])] }
        let noModal = NavigationMeaning(state: "no modal", text: texts[0])
        guard texts[1] != texts[2] else { return [noModal, NavigationMeaning(state: "modal", text: texts[1])] }
        return [
            noModal, NavigationMeaning(state: "modal of 1 screen", text: texts[1]),
            NavigationMeaning(state: "modal of 2 or more", text: texts[2]),
        ]
    }
}

extension NavigationRule {
    /// Describes the rule in words, for a cell of the table.
    func text(whenUp depth: ModalDepth) -> String {
        var parts: [String] = []
        if dismisses, depth != .none { parts.append("dismiss") }
        if let text = change.text { parts.append(text) }
        if let text = visit.text { parts.append(text) }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", then ")
    }
}

extension NavigationRule.Change {
    fileprivate var text: String? {
        switch self {
        case .nothing: nil
        case .place(let stack): "place on \(stack.rawValue)"
        case .replaceTop(let stack): "top of \(stack.rawValue) = new"
        case .present: "present a modal of the new screen"
        case .pop(let stack): "pop \(stack.rawValue)"
        case .popToRoot: "main back to its root"
        case .replaceRoot: "main = [new] with action replace"
        }
    }
}

extension NavigationRule.Visit {
    fileprivate var text: String? {
        switch self {
        case .none, .newScreen, .newRoot: nil
        case .revealed(let stack): "refresh top of \(stack.rawValue)"
        }
    }
}
