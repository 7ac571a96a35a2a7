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
        guard let launch = text.firstMatch(of: /<LaunchAction\b(?s:.*?)<\/LaunchAction>/)?.0 else { return nil }
        self.name = name
        targets = Set(launch.matches(of: /BlueprintName\s*=\s*"([^"]*)"/).map { XcodeScheme.plain($0.1) })
        let variables = launch.matches(of: /<EnvironmentVariable\b([^>]*)>/).compactMap { match -> (String, String)? in
            guard XcodeScheme.attribute("isEnabled", of: match.1) != "NO",
                let key = XcodeScheme.attribute("key", of: match.1)
            else { return nil }
            return (key, XcodeScheme.attribute("value", of: match.1) ?? "")
        }
        environment = Dictionary(variables) { $1 }
    }

    private static func attribute(_ name: String, of element: Substring) -> String? {
        element.matches(of: /(\w+)\s*=\s*"([^"]*)"/).first { $0.1 == name }.map { plain($0.2) }
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing("&quot;", with: "\"").replacing("&apos;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&#10;", with: "\n").replacing("&amp;", with: "&")
    }
}
