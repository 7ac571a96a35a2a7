import Foundation

/// A folder with the sources of one module, and the folder for its copy.
struct Module {
    let from: URL
    let to: URL
    /// Whether this is an app, so that its copy gets a `main` that launches it.
    var isApp = false
    /// Whether this is a module of tests.
    var isTests = false
    /// The file that says what is cut out of the module, if anything may be.
    var repairs: URL?
    /// What the compiler has said about the last copy.
    var compilerOutput: String?

    /// - Parameter log: gets a line for each change.
    func prepare(log: (String) -> Void) throws {
        var (written, appDelegate, app, sceneDelegates) = (Set<String>(), String?.none, String?.none, [String]())
        var (texts, tables) = ([String: String](), [String]())
        let paths = try files()
        let tests = isTests ? TestClasses(try sources(paths)) : nil
        for path in paths {
            let file = from.appendingPathComponent(path)
            written.insert(path)
            guard file.pathExtension == "swift" else {
                try write(Data(contentsOf: file), to: path)
                continue
            }
            let result = Rewriter.rewrite(
                try String(contentsOf: file, encoding: .utf8), isApp: isApp, tests: tests)
            for edit in result.edits { log("\(path):\(edit.line): \(edit.reason)") }
            appDelegate = appDelegate ?? result.appDelegate
            app = app ?? result.app
            sceneDelegates += result.sceneDelegates
            tables += result.tables
            texts[path] = result.source
        }
        for (path, text) in try repaired(texts) {
            written.insert(path)
            try write(Data(text.utf8), to: path)
        }
        try write(Data(foundationOnLinux.utf8), to: "BridgedFoundation.swift")
        written.insert("BridgedFoundation.swift")
        if isTests {
            try write(Data(xctestOnLinux.utf8), to: "BridgedXCTest.swift")
            written.insert("BridgedXCTest.swift")
        }
        if isApp {
            try write(Data(launcher(appDelegate, app: app, sceneDelegates, tables).utf8), to: "BridgedLauncher.swift")
            written.insert("BridgedLauncher.swift")
        }
        try removeFiles(except: written)
    }

    /// Cuts out of the files what the compiler refuses.
    private func repaired(_ texts: [String: String]) throws -> [String: String] {
        guard let repairs else { return texts }
        var module = RepairedModule(texts, try Repairs(repairs))
        if let compilerOutput { module.repair(CompilerError.read(compilerOutput, in: to.path)) }
        try module.state.write(to: repairs)
        return module.outputs
    }

    private func files() throws -> [String] {
        let paths = FileManager.default.subpaths(atPath: from.path) ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: from.appendingPathComponent(path).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted()
    }

    private func sources(_ paths: [String]) throws -> [String] {
        try paths.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOf: from.appendingPathComponent($0), encoding: .utf8)
        }
    }

    /// Writes a file if its content changes.
    private func write(_ data: Data, to path: String) throws {
        let file = to.appendingPathComponent(path)
        guard (try? Data(contentsOf: file)) != data else { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// Removes what an earlier copy had and the original no longer has.
    private func removeFiles(except written: Set<String>) throws {
        for path in FileManager.default.subpaths(atPath: to.path) ?? [] where path.hasSuffix(".swift") {
            if !written.contains(path) { try FileManager.default.removeItem(at: to.appendingPathComponent(path)) }
        }
    }

    /// The file with the app's `main`.
    private func launcher(_ appDelegate: String?, app: String?, _ sceneDelegates: [String], _ tables: [String])
        -> String
    {
        // Without a name in Info.plist, the only scene delegate is meant. An app of SwiftUI has one of its own.
        let only = sceneDelegates.count == 1 && app == nil ? ", \"\"" : ""
        let scenes = sceneDelegates.map { "        case \"\($0)\"\(only): \($0)()\n" }.joined()
        let (delegate, sceneDelegate) =
            if let app {
                ("AppLauncher.start { \(app)() }", "{ AppLauncher.sceneDelegate(with: sceneDelegate($0)) }")
            } else {
                ("\(appDelegate ?? "BridgedLauncherDelegate")()", "sceneDelegate")
            }
        return """
            import AppHost
            \(app == nil ? "" : "import HeadlessSwiftUI\n")import UIKit

            @main enum BridgedLauncher {
                static func main() {
                    MainActor.assumeIsolated { InterfaceTable.register([\(tables.joined(separator: ", "))]) }
                    AppHost.run(delegate: { \(delegate) }, sceneDelegate: \(sceneDelegate))
                }

                @MainActor private static func sceneDelegate(_ name: String) -> (any UISceneDelegate)? {
                    switch name {
            \(scenes)        default: nil
                    }
                }
            }

            /// The address as `bridged run --url` wants it.
            func bridgedAddress(_ text: String) -> String { AppHost.address(text) }

            /// For an app whose delegate has no `@main`.
            private final class BridgedLauncherDelegate: UIResponder, UIApplicationDelegate {}

            """
    }
}
