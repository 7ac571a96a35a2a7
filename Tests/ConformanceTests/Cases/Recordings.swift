import Foundation
import TestSupport

/// The cases recorded with WebKit, in `Recordings/`. The README there explains their format.
enum Recordings {
    /// The number of cases in each file of this repository.
    static let counts = [
        "callAsync": 122, "evaluate": 227, "lifecycle": 49, "post": 257, "reply": 64, "surface": 152, "userscript": 61,
        "world": 16,
    ]

    /// The folder that the environment variable `BRIDGED_ORACLE` names, or else the one in this repository.
    static let folder = RecordingFolder(besideTest: #filePath, counts: counts, variable: "BRIDGED_ORACLE")

    /// The folder of the scripts that the recorded pages load. Other recordings may come with their own beside their
    /// folder.
    static var pageFolder: URL {
        let other = folder.url.deletingLastPathComponent().appendingPathComponent("page")
        let own = Repository.file("Tests/ConformanceTests/Recordings/page")
        return FileManager.default.fileExists(atPath: other.path) ? other : own
    }

    /// Reads every case, in the order of the files' names.
    ///
    /// - Throws: an error that names the file that is missing, unreadable or incomplete.
    static func all(in folder: RecordingFolder = folder) throws -> [RecordedCase] {
        try folder.files().flatMap { file in
            let cases = try JSONDecoder().decode([RecordedCase].self, from: Data(contentsOf: file))
            try folder.check(cases.count, in: file)
            return cases
        }
    }
}
