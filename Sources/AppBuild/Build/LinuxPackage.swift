import Foundation

/// The package that is built on Linux: a folder in the cache with rewritten copies of the app's modules.
struct LinuxPackage {
    let name: String
    let modules: [AppModule]
    /// The packages that are used as they are.
    let packages: [URL]
    let folder: URL
    /// The folder with the sources of bridged.
    let bridged: URL
    /// Whether the app is linked with what runs flows in it.
    var runsFlows = true
    /// Tells why a name is missing.
    var missingKinds = MissingKinds()
    /// The package with what an app is linked with.
    private var appCode: URL { BridgedSource.appCode(in: bridged) }

    /// The folder with a module's rewritten sources.
    func sources(of module: AppModule) -> URL { folder.appendingPathComponent("Sources/\(module.name)") }

    /// The file that says what is cut out of a module so that it compiles.
    func repairs(of module: AppModule) -> URL {
        folder.deletingLastPathComponent().appendingPathComponent("repairs/\(module.name).json")
    }

    /// Writes the manifest, and the rewritten copies of all modules.
    func write(with preparation: Preparation) throws(BuildFailure) {
        try forgetRepairs(with: preparation)
        for module in modules {
            // A test without what it tests would mean nothing.
            let repairs = module.kind == .tests ? nil : repairs(of: module)
            try preparation.prepare(module, in: sources(of: module), repairs: repairs)
        }
        try Files.write(Data(manifest.utf8), to: folder.appendingPathComponent("Package.swift"))
    }

    // MARK: The manifest

    var manifest: String {
        let dependencies =
            [
                ".package(path: \(quoted(bridged.path)), traits: [\"Testing\"])",
                ".package(path: \(quoted(appCode.path)))",
            ]
            + packages.map { ".package(path: \(quoted($0.path)))" }
            + (modules.contains(where: \.importsCombine) ? [LinuxPackage.combine] : [])
        return """
            // swift-tools-version: 6.2
            // bridged has written this file, and writes it again for each build.
            // SwiftPM sees new files of a package in a folder only if this file changes: \(StableHash.of(sourceNames)).
            import PackageDescription

            let package = Package(
                name: \(quoted(name)),
                defaultLocalization: "en",
                dependencies: [
                    \(dependencies.joined(separator: ",\n        "))
                ],
                targets: [
                    \(modules.map(target).joined(separator: ",\n        "))
                ]
            )

            """
    }

    /// The package whose `OpenCombineShim` stands in for Apple's Combine.
    private static let combine = #".package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")"#

    /// The names of bridged's own sources, which change if it is updated.
    private var sourceNames: [UInt8] {
        let folders = [bridged, appCode].map { $0.appendingPathComponent("Sources") }
        return Array(folders.flatMap(FolderContent.files).joined(separator: "\n").utf8)
    }

    /// Forgets what was cut out if anything else has changed that the modules are compiled with. What was missing may be
    /// there now: in another file, in another release of a package, or in bridged itself.
    private func forgetRepairs(with preparation: Preparation) throws(BuildFailure) {
        let folder = folder.deletingLastPathComponent().appendingPathComponent("repairs")
        let record = BuildRecord(file: folder.appendingPathComponent("inputs"))
        let inputs = repairInputs(preparation).fingerprint
        guard !record.holds(inputs) else { return }
        try? FileManager.default.removeItem(at: folder)
        try record.write(inputs)
    }

    private func repairInputs(_ preparation: Preparation) -> BuildInputs {
        let names = ["UIKit", "SwiftUI", "WebKit", "Headless", "PrepareApp"]
        let own = [bridged, appCode, BridgedSource.tool("PrepareApp", in: bridged)].flatMap { folder in
            let sources = folder.appendingPathComponent("Sources")
            return FolderContent.files(in: sources).filter { path in names.contains { path.contains($0) } }
                .map { sources.appendingPathComponent($0) }
        }
        return BuildInputs(
            folders: packages, files: own + modules.flatMap(\.sources).map(\.file),
            // The path of `prepare-app` names the toolchain.
            texts: modules.map(target) + [preparation.executable.path])
    }

    private func target(_ module: AppModule) -> String {
        let resources = module.resources.filter { resource in
            module.resourceFiles.contains { $0.path == resource.path || $0.path.hasPrefix(resource.path + "/") }
        }
        let settings =
            [".swiftLanguageMode(.v\(module.languageMode))"]
            + (module.isOnMainActor ? [".defaultIsolation(MainActor.self)"] : [])
            + module.conditions.map { ".define(\(quoted($0)))" }
        return """
            .\(kind(of: module))(
                        name: \(quoted(module.name)),
                        dependencies: [\(dependencies(of: module).joined(separator: ", "))],
                        resources: [\(resources.map(resource).joined(separator: ", "))],
                        swiftSettings: [\(settings.joined(separator: ", "))])
            """
    }

    private func kind(of module: AppModule) -> String {
        switch module.kind {
        case .app: "executableTarget"
        case .library: "target"
        case .tests: "testTarget"
        }
    }

    private func resource(_ resource: AppModule.Resource) -> String {
        ".\(resource.isCopied ? "copy" : "process")(\(quoted(resource.path)))"
    }

    private func dependencies(of module: AppModule) -> [String] {
        let products =
            switch module.kind {
            // `AppTesting` runs flows in the app's process.
            case .app: ["UIKit", "AppHost"] + (runsFlows ? ["AppTesting"] : [])
            case .library: ["UIKit"]
            case .tests: ["UIKit", "AppTesting"]
            }
        let own = products.map { ($0, appCode) } + [("WebKit", bridged)]
        return module.dependencies.map { dependency in
            switch dependency {
            case .module(let name): ".target(name: \(quoted(name)))"
            case .product(let name, let package): ".product(name: \(quoted(name)), package: \(quoted(package)))"
            }
        } + (module.importsCombine ? [#".product(name: "OpenCombineShim", package: "OpenCombine")"#] : [])
            + own.map { name, package in
                ".product(name: \(quoted(name)), package: \(quoted(PackageReference.identity(of: package.path))))"
            }
    }

    private func quoted(_ text: String) -> String { SwiftText.quoted(text) }
}

enum SwiftText {
    /// A text as a string of Swift.
    ///
    /// The manifest is run when it is read, and the texts are those of projects that nobody has checked. A quotation mark
    /// after U+0600 is no `Character` of its own, so that the scalars count.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            let isPlain = (0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\"
            return isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return "\"\(escaped.joined())\""
    }
}

enum Files {
    /// Whether a text names a file in a folder, and not another place.
    static func isName(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && !text.unicodeScalars.contains { $0 == "/" || $0 == "\0" }
    }

    /// Writes a file if its content changes, so that a build does not begin anew.
    static func write(_ data: Data, to file: URL) throws(BuildFailure) {
        guard (try? Data(contentsOf: file)) != data else { return }
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        } catch {
            throw BuildFailure("\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Makes a folder with links to files, instead of what was there. Folders are left out.
    static func link(_ files: [AppModule.File], in folder: URL) throws(BuildFailure) {
        try place(files.filter { !FolderContent.isFolder($0.file) }, in: folder) { file, place throws in
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: file)
        }
    }

    /// Makes a folder with copies of files and folders, instead of what was there. Foundation's bundles find no links, and
    /// what is written later could go through one to another place. So a link becomes a copy of its file, as in Xcode.
    static func copy(_ files: [AppModule.File], to folder: URL) throws(BuildFailure) {
        try place(files.filter { !isLinkToFolder($0.file) }, in: folder) { file, place throws in
            try FileManager.default.copyItem(at: file.resolvingSymlinksInPath(), to: place)
        }
    }

    /// Whether this is a link to a folder, which may be anywhere, and as large as the disk.
    static func isLinkToFolder(_ file: URL) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) != nil && FolderContent.isFolder(file)
    }

    private static func place(
        _ files: [AppModule.File], in folder: URL, _ body: (URL, URL) throws -> Void
    ) throws(BuildFailure) {
        let manager = FileManager.default
        for file in files {
            let parts = file.path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(
                String.init)
            guard parts.allSatisfy(isName) else {
                throw BuildFailure(
                    "\(file.file.path) would be written to \(file.path) in \(folder.path), which is no file there.")
            }
        }
        try? manager.removeItem(at: folder)
        do {
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                let place = folder.appendingPathComponent(file.path)
                try manager.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try? manager.removeItem(at: place)
                try body(file.file, place)
            }
        } catch {
            throw BuildFailure("\(folder.path) cannot be written: \(error.localizedDescription)")
        }
    }
}
