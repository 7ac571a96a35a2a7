extension ScriptValue {
    /// Whether this value has everything that is in `subset`: an object may have more members, arrays match element by
    /// element, and other values must be equal.
    ///
    /// A string that is the JSON text of an object or an array also has what that object or array has, because many pages
    /// post `JSON.stringify(…)`. References in this value are followed. A date also equals its ISO 8601 text, because people write patterns as
    /// JSON.
    public func contains(subset: ScriptValue) -> Bool {
        SubsetMatch(root: self).matches(self, subset)
    }

    /// The value of a string that is the JSON text of an object or an array; nil for any other value.
    package var parsedText: ScriptValue? {
        guard kind == .string, let text = json.string, let first = text.first(where: { !$0.isWhitespace }),
            first == "{" || first == "[", let parsed = try? JSON.parse(Array(text.utf8), .untrusted)
        else { return nil }
        return ScriptValue(json: parsed, checked: nil)
    }
}

private struct SubsetMatch {
    let root: ScriptValue

    /// References in `subset` are compared and not followed, so the recursion ends with the pattern.
    func matches(_ place: ScriptValue, _ subset: ScriptValue) -> Bool {
        if subset.kind == .reference { return place.referenceTarget == subset.referenceTarget }
        let value = resolved(place)
        switch (value.kind, subset.kind) {
        case (.object, .object): return hasMembers(of: subset, value)
        case (.array, .array): return hasElements(of: subset, value)
        case (.number, .number): return areEqual(value.number, subset.number)
        case (.string, .string): return value.string == subset.string
        case (.bool, .bool): return value.bool == subset.bool
        case (.date, .date), (.date, .string): return value.json.string == subset.json.string
        case (.string, .object), (.string, .array):
            return value.parsedText.map { $0.contains(subset: subset) } ?? false
        case (.null, .null), (.undefined, .undefined): return true
        default: return false
        }
    }

    private func hasMembers(of subset: ScriptValue, _ value: ScriptValue) -> Bool {
        var holds = true
        subset.json.forEachMember { key, _ in
            guard holds, let expected = subset.child(key) else { return }
            holds = value.child(key).map { matches($0, expected) } ?? false
        }
        return holds
    }

    private func hasElements(of subset: ScriptValue, _ value: ScriptValue) -> Bool {
        guard value.json.count == subset.json.count else { return false }
        return (0..<subset.json.count).allSatisfy { index in
            guard let element = value.child(index: index), let expected = subset.child(index: index) else {
                return false
            }
            return matches(element, expected)
        }
    }

    /// Whether two numbers match. NaN matches NaN, because a pattern that contains NaN is meant to find it.
    private func areEqual(_ left: Double?, _ right: Double?) -> Bool {
        left == right || (left?.isNaN == true && right?.isNaN == true)
    }

    /// Follows references to a value. Each leads to an earlier place, so the loop ends.
    private func resolved(_ place: ScriptValue) -> ScriptValue {
        var place = place
        while let target = place.referenceTarget {
            guard let value = root.resolve(pointer: target) else { break }
            place = value
        }
        return place
    }
}
