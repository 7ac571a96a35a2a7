import BridgeProtocol

/// What a configuration must look like, so that the platforms take it. They stop at the first thing that is wrong; here
/// all of them are found.
struct PathConfigurationShape {
    private(set) var errors: [PathConfigurationError] = []

    init(_ json: JSON) { check(json) }

    private mutating func check(_ json: JSON) {
        guard json.kind == .object else {
            return expect(
                "an object with settings and rules", at: .root, json,
                fix: "The smallest configuration is {\"settings\": {}, \"rules\": []}.")
        }
        let path = JSONPath.root.member("rules")
        guard let rules = json["rules"], rules.kind == .array else {
            return expect(
                "a list of rules", at: path, json["rules"],
                fix: "Write \"rules\": [{\"patterns\": [\"/new$\"], \"properties\": {}}].")
        }
        for index in 0..<rules.count { checkRule(rules[index] ?? .null, at: path.element(index)) }
    }

    private mutating func checkRule(_ rule: JSON, at path: JSONPath) {
        guard rule.kind == .object else {
            return expect("a rule", at: path, rule, fix: "Write {\"patterns\": [\"/new$\"], \"properties\": {}}.")
        }
        checkPatterns(rule["patterns"], at: path.member("patterns"))
        guard rule["properties"]?.kind != .object else { return }
        expect(
            "an object of properties", at: path.member("properties"), rule["properties"],
            fix: "Write \"properties\": {\"context\": \"modal\"}, or {} for none.")
    }

    private mutating func checkPatterns(_ patterns: JSON?, at path: JSONPath) {
        guard let patterns, patterns.kind == .array else {
            let text = patterns?.string.map { JSONValue.string($0).description } ?? "\"/new$\""
            return expect(
                "a list of regular expressions", at: path, patterns, fix: "Write \"patterns\": [\(text)].")
        }
        for index in 0..<patterns.count where patterns[index]?.kind != .string {
            expect(
                "a regular expression as a string", at: path.element(index), patterns[index],
                fix: "Write it in quotes.")
        }
    }

    private mutating func expect(_ expected: String, at path: JSONPath, _ found: JSON?, fix: String) {
        errors.append(PathConfigurationError(path, expected: expected, found: found, fix: fix))
    }
}
