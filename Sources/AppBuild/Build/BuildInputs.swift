import Foundation

/// What an app is built from. If nothing of it has changed since the last build, that build's result still holds, and
/// SwiftPM need not plan and link again because another app was built meanwhile.
struct BuildInputs {
    /// Folders whose files count, by their sizes and the times of their changes.
    var folders: [URL]
    /// Files that count in the same way.
    var files: [URL]
    /// Anything else that counts, such as a manifest.
    var texts: [String]

    /// A text that is the same as long as nothing has changed.
    var fingerprint: String {
        let inFolders = folders.flatMap { folder in
            FolderContent.files(in: folder).map { folder.appendingPathComponent($0) }
        }
        let states = (inFolders + files).map(BuildInputs.state)
        return StableHash.of((states + texts).joined(separator: "\0").utf8)
    }

    private static func state(_ file: URL) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let changed = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return "\(file.path) \(attributes?[.size] as? Int ?? -1) \(changed)"
    }
}
