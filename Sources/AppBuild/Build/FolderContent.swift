import Foundation

enum FolderContent {
    /// The paths of the files in a folder and below it, in the order of their names. A folder that is one thing to Xcode,
    /// such as `Assets.xcassets`, is not entered.
    static func files(in folder: URL) -> [String] {
        var files: [String] = []
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() {
            guard !name.hasPrefix(".") else { continue }
            let file = folder.appendingPathComponent(name)
            guard isFolder(file), !packages.contains(file.pathExtension) else {
                files.append(name)
                continue
            }
            // A link to a folder may lead back to one above it.
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) == nil else { continue }
            files += FolderContent.files(in: file).map { "\(name)/\($0)" }
        }
        return files
    }

    static func isFolder(_ file: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static let packages: Set = ["xcassets", "xcdatamodeld", "bundle", "framework", "xcframework", "xcodeproj"]
}
