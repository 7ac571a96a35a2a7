import BridgeProtocol
import BridgeYAML
import Foundation

/// A file that says what a build of the app has (docs/emulate.md#an-older-build). Its keys are settings of `serve`.
struct BinaryFile {
    /// What findings call the build: the file's `name`, or else the file's own name without its ending.
    let name: String
    /// The settings of the build, by key.
    let members: [String: YAMLValue]
    let file: String

    private static let keys = [
        "name", "framework", "component", "native-screen", "uri", "application-user-agent-prefix", "path-configuration",
    ]

    /// Reads the file that the setting `binary` names.
    /// - Throws: `SettingError` if the file is not there; `YAMLError` for a mistake in it.
    static func named(_ path: String) throws -> BinaryFile {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw SettingError(
                description: "binary: expected a file that can be read, found \(quoted(path)). "
                    + "docs/emulate.md#an-older-build says what it has.")
        }
        return try BinaryFile(path: path)
    }

    init(path: String) throws(YAMLError) {
        let root = try YAMLFile(path: path).root
        file = path
        var members = try root.members(BinaryFile.keys)
        let usualName = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        name = try members.removeValue(forKey: "name")?.text() ?? usualName
        self.members = members
    }

    /// The file that a setting names, whose path is relative to this file.
    func file(at path: String) -> URL {
        URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: file).deletingLastPathComponent())
    }

    /// Says that a setting of the file is also given elsewhere.
    /// - Parameter place: the flag or the variable.
    func contradiction(_ key: String, _ place: String) -> SettingError {
        let line = members[key].map { ":\($0.line)" } ?? ""
        return SettingError(
            description: "\(file)\(line) says what \(key) the build has, and so does \(place). Leave one of them out.")
    }

    /// Rejects settings that a build for this platform does not have.
    func check(isAndroid: Bool) throws(YAMLError) {
        let (other, own) = isAndroid ? ("native-screen", "uri") : ("uri", "native-screen")
        guard let value = members[other] else { return }
        throw value.error(
            "\(other) is for \(isAndroid ? "iOS" : "Android"). A build for \(isAndroid ? "Android" : "iOS") has \(own)."
        )
    }
}
