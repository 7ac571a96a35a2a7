import Foundation

/// The bytes of a download until it is complete, in a temporary file: they may come before the app has named the
/// destination.
@MainActor final class DownloadFile {
    private let url: URL
    private let handle: FileHandle

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-download-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        handle = try FileHandle(forWritingTo: url)
    }

    isolated deinit {
        try? handle.close()
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ data: Data) throws { try handle.write(contentsOf: data) }

    /// - Throws: if there is such a file by now.
    func move(to destination: URL) throws {
        try handle.synchronize()
        try FileManager.default.moveItem(at: url, to: destination)
    }

    /// Why WebKit would not save a download there; nil if it would.
    static func objection(to destination: URL) -> String? {
        guard destination.isFileURL else {
            return "its destination \(destination) is no file. On iOS this raises an exception, which ends the app."
        }
        let folder = destination.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else { return "there is no folder \(folder)." }
        guard !FileManager.default.fileExists(atPath: destination.path) else {
            return "there is a file \(destination.path) already, which WebKit does not replace."
        }
        return nil
    }

    static let hint =
        "Name a file that does not exist, in a folder that does: remove an older file before the download."
}
