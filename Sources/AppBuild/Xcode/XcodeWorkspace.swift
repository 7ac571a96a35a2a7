import Foundation

/// An Xcode workspace: a list of projects.
enum XcodeWorkspace {
    /// Finds the project with the app.
    static func project(in file: URL, with target: String?) throws(BuildFailure) -> XcodeProject {
        let content = file.appendingPathComponent("contents.xcworkspacedata")
        guard let text = try? String(contentsOf: content, encoding: .utf8) else {
            throw BuildFailure("\(content.path) cannot be read.")
        }
        let folder = file.deletingLastPathComponent()
        let paths = text.matches(of: /location\s*=\s*"(?:group|container|self):([^"]*\.xcodeproj)"/).map {
            String($0.1)
        }
        var failure: BuildFailure?
        // A workspace of CocoaPods has the project of the pods beside that of the app.
        for path in paths where !path.hasPrefix("Pods/") {
            do {
                let project = try XcodeProject(folder.appendingPathComponent(path).standardizedFileURL)
                _ = try project.app(named: target)
                return project
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? BuildFailure("\(file.path) names no project.")
    }
}
