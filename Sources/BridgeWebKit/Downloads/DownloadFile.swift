import Foundation

/// The bytes of a download until it is complete, in a temporary file: they may come before the app has named the
/// destination.
@MainActor final class DownloadFile {
    private let url: URL
    private let handle: FileHandle

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-download-\(UUID().uuidString)")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes) else {
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

    /// The name that a response suggests for its file: one that stays in any folder, of at most 255 bytes.
    ///
    /// Foundation on Linux takes none from the URL of an HTTP response, and leaves slashes in it.
    static func name(for response: URLResponse) -> String {
        let url = response.url
        let isOfServer = ["http", "https"].contains(url?.scheme?.lowercased())
        var name = (response as? HTTPURLResponse).flatMap(fieldName) ?? ""
        if name.isEmpty, let url, !["blob", "data"].contains(url.scheme?.lowercased()) {
            name = url.lastPathComponent == "/" ? "" : url.lastPathComponent
            if name.isEmpty, isOfServer { name = url.host ?? "" }
        }
        name = name.components(separatedBy: notInNames).joined(separator: "_").trimmingCharacters(in: .whitespaces)
        // A character may have any number of bytes.
        while name.utf8.count > 255 { name.removeLast() }
        return ["", ".", ".."].contains(name) ? "Unknown" : name
    }

    private static let notInNames = CharacterSet.controlCharacters.union(.newlines).union(["/", "\\"])

    /// The name in the field `Content-Disposition` (RFC 6266): `filename*` if it is there, otherwise `filename`.
    private static func fieldName(of response: HTTPURLResponse) -> String? {
        guard let field = response.value(forHTTPHeaderField: "Content-Disposition") else { return nil }
        if let match = field.firstMatch(of: /(?i:;\s*filename\*\s*=\s*utf-8'[^']*')([^;\s]+)/),
            let name = String(match.1).removingPercentEncoding
        {
            return name
        }
        if let match = field.firstMatch(of: /(?i:;\s*filename\s*=\s*)"((?:[^"\\]|\\.)*)"/) {
            return String(match.1).replacing(/\\(.)/) { $0.1 }
        }
        return field.firstMatch(of: /(?i:;\s*filename\s*=\s*)([^;"]+)/).map { String($0.1) }
    }

    static let hint =
        "Name a file that does not exist, in a folder that does: remove an older file before the download."
}
