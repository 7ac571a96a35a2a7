import Foundation

/// The files with flows that a command line names.
enum FlowFiles {
    /// Lists the flows in a folder, in the order of their names, without the settings file. If the path is no folder, returns the path.
    /// - Throws: a `CommandFailure` if a folder has none.
    static func paths(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { ($0.hasSuffix(".yml") || $0.hasSuffix(".yaml")) && $0 != ConfigurationFile.usualName }.sorted()
        guard !names.isEmpty else {
            throw CommandFailure(
                "The folder \(path) has no flow: no file beside \(ConfigurationFile.usualName) whose name ends in .yml "
                    + "or .yaml.", .usage)
        }
        return names.map { "\(path.hasSuffix("/") ? String(path.dropLast()) : path)/\($0)" }
    }
}
