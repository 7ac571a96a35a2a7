import BridgeProcesses
import Foundation

/// The program `prepare-app`, which each clone of bridged builds once, and again if its sources or the toolchain change.
struct PrepareApp {
    /// The folder with the sources of bridged.
    let bridged: URL
    let log: (String) -> Void

    /// Builds `prepare-app`, unless that has been done, and returns its executable.
    ///
    /// A toolchain brings the SwiftSyntax that its own macros use, so that only the few files of `prepare-app` are compiled.
    /// If it does not, SwiftPM fetches and compiles SwiftSyntax.
    func build() throws(BuildFailure) -> URL {
        if let executable = try buildWithToolchain() { return executable }
        let executable = package.appendingPathComponent(".build/debug/prepare-app")
        guard !isCurrent(executable) else { return executable }
        log("Building prepare-app, which rewrites Swift for Linux. The first time takes some minutes.")
        try Tool(name: "swift").succeed(["build", "--package-path", package.path, "--product", "prepare-app"])
        return executable
    }

    private var package: URL { BridgedSource.tool("PrepareApp", in: bridged) }

    private var sources: [URL] {
        FolderContent.files(in: package.appendingPathComponent("Sources"))
            .map { package.appendingPathComponent("Sources/\($0)") }
    }

    private func isCurrent(_ executable: URL) -> Bool {
        guard let built = executable.changed else { return false }
        return (sources + [package.appendingPathComponent("Package.swift")])
            .allSatisfy { ($0.changed ?? .distantFuture) <= built }
    }

    /// - Returns: nil if the toolchain has no SwiftSyntax that the sources compile with.
    private func buildWithToolchain() throws(BuildFailure) -> URL? {
        guard let libraries = PrepareApp.toolchainLibraries(),
            let changed = libraries.appendingPathComponent("libSwiftSyntax.so").changed
        else { return nil }
        // The executable loads the toolchain's libraries, so that each toolchain needs its own.
        let toolchain = StableHash.of(Array("\(libraries.path) \(changed.timeIntervalSince1970)".utf8))
        let folder = package.appendingPathComponent(".build/toolchain-\(toolchain)")
        let executable = folder.appendingPathComponent("prepare-app")
        guard !isCurrent(executable) else { return executable }
        log("Building prepare-app, which rewrites Swift for Linux.")
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            throw BuildFailure("\(folder.path) cannot be made: \(error.localizedDescription)")
        }
        // Another process may run the old executable, or build the same one.
        let new = folder.appendingPathComponent("new-\(ProcessInfo.processInfo.processIdentifier)")
        let linked = ["-I", "-L"].flatMap { [$0, libraries.path] } + ["-lSwiftParser", "-lSwiftSyntax"]
        let found = ["-rpath", libraries.path].flatMap { ["-Xlinker", $0] }
        let result = try Tool(name: "swiftc").run(
            ["-swift-version", "6", "-parse-as-library", "-module-name", "PrepareApp"] + linked + found
                + sources.map(\.path).filter { $0.hasSuffix(".swift") } + ["-o", new.path])
        guard result.status == 0, rename(new.path, executable.path) == 0 else { return nil }
        return executable
    }

    /// The folder with the libraries of the compiler's own macros, such as SwiftSyntax.
    private static func toolchainLibraries() -> URL? {
        struct TargetInfo: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        // The compiler knows its folder. Its path does not: swiftly puts a launcher of its own there.
        guard let output = try? Tool(name: "swiftc").run(["-print-target-info"]).output,
            let info = try? JSONDecoder().decode(TargetInfo.self, from: Data(output.utf8))
        else { return nil }
        let folder = URL(fileURLWithPath: "\(info.paths.runtimeResourcePath)/host", isDirectory: true)
        return FolderContent.isFolder(folder) ? folder : nil
    }
}

extension URL {
    fileprivate var changed: Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
