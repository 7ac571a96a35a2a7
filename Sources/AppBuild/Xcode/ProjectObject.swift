import Foundation

/// An object of an Xcode project, such as a target or a group: a dictionary whose values are texts, lists of texts, and
/// ids of other objects.
struct ProjectObject {
    let id: String
    private let values: [String: Any]
    private let all: [String: [String: Any]]

    init?(_ id: String, among all: [String: [String: Any]]) {
        guard let values = all[id] else { return nil }
        (self.id, self.values, self.all) = (id, values, all)
    }

    /// The class of the object, such as `PBXNativeTarget`.
    var kind: String { self["isa"] ?? "" }

    subscript(_ key: String) -> String? { values[key] as? String }

    func texts(_ key: String) -> [String] { values[key] as? [String] ?? [] }

    /// The build settings of a configuration. A list becomes a text with spaces.
    func settings(_ key: String) -> [String: String] {
        (values[key] as? [String: Any] ?? [:]).compactMapValues { value in
            value as? String ?? (value as? [String])?.joined(separator: " ")
        }
    }

    func object(_ key: String) -> ProjectObject? { self[key].flatMap { ProjectObject($0, among: all) } }

    func objects(_ key: String) -> [ProjectObject] { texts(key).compactMap { ProjectObject($0, among: all) } }
}
