import BridgeProtocol

/// What both platforms refuse as a whole, and keys that neither reads.
extension PathLinter {
    mutating func checkShape(_ json: JSON) {
        for error in PathConfigurationShape(json).errors {
            remark(
                .error, "wrongShape", at: error.path ?? .root, "\(error.message): the whole file is refused",
                fix: error.fix)
        }
        checkKeys(of: json, at: .root, known: ["settings", "rules"])
        if let settings = json["settings"], settings.kind != .object {
            remark(
                .warning, "wrongSettings", at: JSONPath.root.member("settings"),
                "expected an object, found \(settings.summary): the app's settings are then empty",
                fix: "Write \"settings\": {}.")
        }
        for rule in RuleText.all(in: json) {
            guard let text = json.resolve(rule.path) else { continue }
            checkKeys(of: text, at: rule.path, known: ["patterns", "properties"])
            guard let patterns = text["patterns"], patterns.kind == .array, patterns.count == 0 else { continue }
            remark(
                .warning, "noPatterns", at: rule.path.member("patterns"), "a rule without patterns never applies",
                fix: "Write [\".*\"] for every path, or remove the rule.")
        }
    }

    private mutating func checkKeys(of object: JSON, at path: JSONPath, known: [String]) {
        object.forEachMember { key, _ in
            guard !known.contains(key) else { return }
            let nearest = EditDistance.nearest(to: key, in: known.filter { object[$0] == nil })
            remark(
                .warning, "unknownKey", at: path.member(key), "\(JSONValue.string(key)) is read by neither platform",
                fix: nearest.map { "Did you mean \"\($0)\"?" }
                    ?? "Known here: \(known.joined(separator: ", ")). Values of your own belong into settings or properties."
            )
        }
    }
}

extension JSON {
    /// The value that the path leads to.
    fileprivate func resolve(_ path: JSONPath) -> JSON? {
        path.steps.reduce(self as JSON?) { value, step in
            switch step {
            case .member(let name): value?[name]
            case .element(let index): value?[index]
            }
        }
    }
}
