import BridgeProtocol

/// What both platforms refuse as a whole, and keys that neither reads.
extension PathLinter {
    mutating func checkShape(_ json: JSON) {
        guard json.kind == .object else {
            return expected(
                "an object with settings and rules", at: .root, json, "Write {\"settings\": {}, \"rules\": []}.")
        }
        checkKeys(of: json, at: .root, known: ["settings", "rules"])
        if let settings = json["settings"], settings.kind != .object {
            remark(
                .warning, "wrongSettings", at: JSONPath.root.member("settings"),
                "expected an object, found \(settings.summary): the app's settings are then empty",
                fix: "Write \"settings\": {}.")
        }
        let path = JSONPath.root.member("rules")
        guard let rules = json["rules"], rules.kind == .array else {
            return expected("a list of rules", at: path, json["rules"], "Write \"rules\": [].")
        }
        for index in 0..<rules.count { checkRule(rules[index] ?? .null, at: path.element(index)) }
    }

    private mutating func checkRule(_ rule: JSON, at path: JSONPath) {
        guard rule.kind == .object else {
            return expected("a rule", at: path, rule, "Write {\"patterns\": [\"/new$\"], \"properties\": {}}.")
        }
        checkKeys(of: rule, at: path, known: ["patterns", "properties"])
        let patterns = path.member("patterns")
        if let list = rule["patterns"], list.kind == .array {
            for index in 0..<list.count where list[index]?.kind != .string {
                expected(
                    "a regular expression as a string", at: patterns.element(index), list[index], "Write it in quotes.")
            }
            if list.count == 0 {
                remark(
                    .warning, "noPatterns", at: patterns, "a rule without patterns never applies",
                    fix: "Write [\".*\"] for every path, or remove the rule.")
            }
        } else {
            let text = rule["patterns"]?.string.map { PathValue.string($0).description } ?? "\"/new$\""
            expected("a list of regular expressions", at: patterns, rule["patterns"], "Write [\(text)].")
        }
        if rule["properties"]?.kind != .object {
            expected("an object of properties", at: path.member("properties"), rule["properties"], "Write {} for none.")
        }
    }

    private mutating func expected(_ expected: String, at path: JSONPath, _ found: JSON?, _ fix: String) {
        remark(
            .error, "wrongShape", at: path,
            "expected \(expected), found \(found?.summary ?? "nothing"): the whole file is refused", fix: fix)
    }

    private mutating func checkKeys(of object: JSON, at path: JSONPath, known: [String]) {
        object.forEachMember { key, _ in
            guard !known.contains(key) else { return }
            let nearest = EditDistance.nearest(to: key, in: known.filter { object[$0] == nil })
            remark(
                .warning, "unknownKey", at: path.member(key), "\(PathValue.string(key)) is read by neither platform",
                fix: nearest.map { "Did you mean \"\($0)\"?" }
                    ?? "Known here: \(known.joined(separator: ", ")). Values of your own belong into settings or properties."
            )
        }
    }
}
