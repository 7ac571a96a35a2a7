public import Foundation

/// The files of this repository, which tests read and run.
public enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: relative to the repository, such as `docs/test.md`.
    public static func file(_ path: String) -> URL { root.appendingPathComponent(path) }
}
