public import Foundation

/// A folder of recorded cases. Each file is a JSON array of cases.
///
/// The recordings of this repository come with a list of their files and of the number of cases in each, so that a
/// file that is missing, new or cut short fails the test that should have run it.
public struct RecordingFolder: Sendable {
    public let url: URL
    /// The number of cases by file name without its extension. Nil accepts any files, but at least one.
    private let counts: [String: Int]?

    /// - Parameters:
    ///   - own: the folder of this repository's recordings.
    ///   - counts: the number of cases in each of its files, by the file's name without `.json`.
    ///   - other: another folder to read instead, whose cases are not counted; nil for none.
    public init(own: URL, counts: [String: Int], other: String?) {
        url = other.map { URL(fileURLWithPath: $0) } ?? own
        self.counts = other == nil ? counts : nil
    }

    /// Names the recordings of the repository that a test file is in.
    ///
    /// - Parameter variable: the environment variable that may name another folder.
    public init(besideTest file: String, counts: [String: Int], variable: String) {
        let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        self.init(
            own: tests.appendingPathComponent("Recordings"), counts: counts,
            other: ProcessInfo.processInfo.environment[variable])
    }

    /// The files, sorted by name.
    ///
    /// - Throws: ``Mistake`` if the folder is missing or has no recordings, or if its files are not those that `counts`
    ///   lists.
    public func files() throws -> [URL] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".json") }
        guard let names, !names.isEmpty else { throw Mistake("There are no recordings in \(url.path).") }
        let expected = (counts?.keys.map { "\($0).json" } ?? names).sorted()
        for name in expected where !names.contains(name) {
            throw Mistake("The recording \(name) is missing in \(url.path). Restore it with git checkout.")
        }
        for name in names.sorted() where !expected.contains(name) {
            throw Mistake(
                "The test has no count of the cases of \(name) in \(url.path). Add it to the list of counts.")
        }
        return expected.map { url.appendingPathComponent($0) }
    }

    /// Checks that a file has as many cases as the list of counts says.
    ///
    /// - Throws: ``Mistake`` if it has another number of cases, or no case.
    public func check(_ count: Int, in file: URL) throws {
        let expected = counts?[file.deletingPathExtension().lastPathComponent]
        guard count > 0, expected.map({ $0 == count }) ?? true else {
            throw Mistake("\(file.path) has \(count) cases. Expected \(expected.map(String.init) ?? "at least one").")
        }
    }

    /// An error that says what is wrong with a folder of recordings.
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }
    }
}
