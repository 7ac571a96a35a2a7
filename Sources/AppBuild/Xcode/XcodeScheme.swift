import Foundation

/// A shared scheme of a project: how Xcode runs an app.
struct XcodeScheme {
    let name: String
    /// The names of the targets that it runs.
    let targets: Set<String>
    /// The variables of the environment that it sets.
    let environment: [String: String]

    /// The schemes of a `.xcodeproj` that are in version control, by name.
    static func shared(in project: URL) -> [XcodeScheme] {
        let folder = project.appendingPathComponent("xcshareddata/xcschemes")
        return FolderContent.files(in: folder).filter { $0.hasSuffix(".xcscheme") }.sorted().compactMap { path in
            let file = folder.appendingPathComponent(path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            return XcodeScheme(name: file.deletingPathExtension().lastPathComponent, text)
        }
    }

    /// - Parameter text: the scheme's XML.
    init?(name: String, _ text: String) {
        let tags = text.split(separator: "<").map(Tag.init)
        guard let start = tags.firstIndex(where: { $0.name == "LaunchAction" }),
            let end = tags[start...].firstIndex(where: { $0.name == "/LaunchAction" })
        else { return nil }
        self.name = name
        let launch = tags[start..<end]
        targets = Set(launch.compactMap { $0["BlueprintName"] })
        let variables = launch.compactMap { tag -> (String, String)? in
            guard tag.name == "EnvironmentVariable", tag["isEnabled"] != "NO", let key = tag["key"] else { return nil }
            return (key, tag["value"] ?? "")
        }
        environment = Dictionary(variables) { $1 }
    }

    /// What follows a `<`: its name and attributes. It is split, because a regex would look for the end of an element from
    /// each beginning, and a file of half a megabyte that has no ends would take hours.
    private struct Tag {
        /// Such as `LaunchAction` or `/LaunchAction`.
        let name: Substring
        /// Names and values in turn.
        private let parts: [Substring]

        init(_ text: Substring) {
            name = text.prefix { !$0.isWhitespace && $0 != ">" }
            parts = text.dropFirst(name.count).split(separator: "\"", omittingEmptySubsequences: false)
        }

        subscript(_ attribute: String) -> String? {
            let index = stride(from: 0, to: parts.count - 1, by: 2).first { index in
                parts[index].filter { !$0.isWhitespace && $0 != "=" } == attribute
            }
            return index.map { Tag.plain(parts[$0 + 1]) }
        }

        private static func plain(_ text: Substring) -> String {
            String(text).replacing("&quot;", with: "\"").replacing("&apos;", with: "'").replacing("&lt;", with: "<")
                .replacing("&gt;", with: ">").replacing("&#10;", with: "\n").replacing("&amp;", with: "&")
        }
    }
}
