import Foundation

/// The folder with an app's executable and its resources: on Linux, `Bundle.main` is the executable's folder.
struct AppBundle {
    let folder: URL

    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Whether an earlier build has made an executable.
    func has(_ executable: String) -> Bool { FileManager.default.isExecutableFile(atPath: file(executable).path) }

    /// Makes the folder anew.
    /// - Parameters:
    ///   - product: the name of the executable.
    ///   - build: the folder of SwiftPM's build.
    func install(
        _ product: String, _ source: AppSource, _ package: LinuxPackage, from build: URL
    ) throws(BuildFailure) {
        let resources = source.resources.filter { FileManager.default.fileExists(atPath: $0.file.path) }
        try Files.copy(resources + package.resourceBundles(in: build), to: folder)
        if let info = source.infoPlist { try Files.write(info, to: file("Info.plist")) }
        let built = build.appendingPathComponent("debug/\(product)").resolvingSymlinksInPath()
        do { try FileManager.default.linkItem(at: built, to: file(product)) } catch {
            throw BuildFailure("\(file(product).path) cannot be written: \(error.localizedDescription)")
        }
    }

    // MARK: What a command that gets the executable must know

    /// Writes what the executable does not say beside it.
    /// - Parameter runsFlows: whether flows can run in the app.
    func describe(_ source: AppSource, runsFlows: Bool) throws(BuildFailure) {
        try Files.write(Data((runsFlows ? "yes" : "no").utf8), to: flowsFile)
        try Files.write(Data(source.origins.joined(separator: "\n").utf8), to: originsFile)
        let variables = source.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try Files.write(Data(variables.joined(separator: "\0").utf8), to: environmentFile)
    }

    /// The origins in the app's source; nil if something else has built the app.
    var origins: [String]? {
        (try? String(contentsOf: originsFile, encoding: .utf8)).map {
            $0.split(whereSeparator: \.isNewline).map(String.init)
        }
    }

    /// The variables of the environment that the app's scheme sets.
    var environment: [String: String] {
        let text = (try? String(contentsOf: environmentFile, encoding: .utf8)) ?? ""
        let pairs = text.split(separator: "\0").compactMap { variable -> (String, String)? in
            let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Whether flows can run in the app; nil if something else has built it.
    var runsFlows: Bool? { (try? String(contentsOf: flowsFile, encoding: .utf8)).map { $0 == "yes" } }

    private var flowsFile: URL { file("bridged-flows") }

    /// One origin in each line.
    private var originsFile: URL { file("bridged-origins") }

    /// `NAME=VALUE`, separated by NUL as in `/proc/PID/environ`.
    private var environmentFile: URL { file("bridged-environment") }
}

/// A file that says what something was made from, so that it is made anew only if that has changed.
struct BuildRecord {
    let file: URL

    func holds(_ inputs: String) -> Bool { (try? Data(contentsOf: file)) == Data(inputs.utf8) }

    func remove() { try? FileManager.default.removeItem(at: file) }

    func write(_ inputs: String) throws(BuildFailure) { try Files.write(Data(inputs.utf8), to: file) }
}

extension LinuxPackage {
    /// What `Bundle.module` of each module is. It is beside the executable, because another app's build may replace it.
    fileprivate func resourceBundles(in build: URL) -> [AppModule.File] {
        modules.filter { !$0.resourceFiles.isEmpty }.map { "\(name)_\($0.name).resources" }
            .map { AppModule.File(file: build.appendingPathComponent("debug/\($0)"), path: $0) }
            .filter { FolderContent.isFolder($0.file) }
    }
}
