package import Foundation

/// Finds programs that are installed.
package enum Executables {
    /// Returns the first of these names that is an executable in one of the folders.
    /// - Parameter folders: those of PATH if nil.
    package static func find(_ names: [String], in folders: [String]? = nil) -> URL? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map(String.init)
        for name in names {
            for folder in folders ?? path where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
                return URL(fileURLWithPath: "\(folder)/\(name)")
            }
        }
        return nil
    }

    /// PATH with the folder of this program in front, where `bridged-webkit` is.
    package static var pathWithOwnFolder: String {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [own, path].compactMap(\.self).joined(separator: ":")
    }
}
