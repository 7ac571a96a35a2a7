public import BridgeProtocol
public import Foundation

/// The differences between the properties that two path configurations have for one URL.
public struct PathDifference: Sendable {
    /// A property that differs. `old` or `new` is `nil` if that configuration does not set it.
    public struct Change: Sendable, Equatable {
        public let key: String
        public let old: JSONValue?
        public let new: JSONValue?
    }

    public let url: URL
    /// The properties that differ, sorted by key.
    public let changes: [Change]

    public init(_ url: URL, from old: PathConfigurationDocument, to new: PathConfigurationDocument) {
        let (before, after) = (old.properties(for: url), new.properties(for: url))
        self.url = url
        changes = Set(before.values.keys).union(after.values.keys).sorted().compactMap { key in
            before.values[key] == after.values[key]
                ? nil : Change(key: key, old: before.values[key], new: after.values[key])
        }
    }
}

extension PathDifference: JSONObject {
    public var members: JSONMembers { ["url": url.absoluteString, "changes": changes] }
}

extension PathDifference.Change: JSONObject {
    public var members: JSONMembers { ["key": key, "old": old, "new": new] }
}
