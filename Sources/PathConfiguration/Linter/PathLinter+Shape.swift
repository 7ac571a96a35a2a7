import BridgeProtocol

/// Finds mistakes for which both platforms reject the whole file, and keys that neither of them reads.
extension PathLinter {
    mutating func checkShape(_ json: JSON) {
        for error in PathConfigurationShape(json).errors {
            report(
                .error, "wrongShape", at: error.path ?? .root, "\(error.message): the platforms reject the whole file",
                fix: error.fix)
        }
        checkKeys(of: json, at: .root, known: ["settings", "rules"])
        if let settings = json["settings"], settings.kind != .object {
            report(
                .warning, "wrongSettings", at: JSONPath.root.member("settings"),
                "expected an object, found \(settings.summary): the app has no settings",
                fix: "Write \"settings\": {}.")
        }
        guard let rules = json["rules"], rules.kind == .array else { return }
        for index in 0..<rules.count {
            guard let rule = rules[index] else { continue }
            let path = JSONPath.root.member("rules").element(index)
            checkKeys(of: rule, at: path, known: ["patterns", "properties"])
            guard let patterns = rule["patterns"], patterns.kind == .array, patterns.count == 0 else { continue }
            report(
                .warning, "noPatterns", at: path.member("patterns"), "a rule without patterns never applies",
                fix: "Write [\".*\"] to match every path, or remove the rule.")
        }
    }

    private mutating func checkKeys(of object: JSON, at path: JSONPath, known: [String]) {
        object.forEachMember { key, _ in
            // The frameworks' own demo apps have comments in their rules.
            guard !known.contains(key), key != "comment" else { return }
            let nearest = EditDistance.nearest(to: key, in: known.filter { object[$0] == nil })
            report(
                .warning, "unknownKey", at: path.member(key), "neither platform reads \(JSONValue.string(key))",
                fix: nearest.map { "Did you mean \"\($0)\"?" }
                    ?? "Use \(known.joined(separator: " or ")); keys of your own belong in settings or properties.")
        }
    }
}
