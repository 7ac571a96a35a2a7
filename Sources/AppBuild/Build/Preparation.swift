import Foundation

/// Rewrites what Linux's compiler refuses, with `prepare-app` of `AppCode/Tools/PrepareApp`.
struct Preparation {
    /// The folder with the sources of bridged.
    let bridged: URL
    /// The folder for links to the files of each module.
    let folder: URL
    let log: (String) -> Void
    /// Gets each change of a source file.
    let onChange: ((String) -> Void)?

    func prepare(_ module: AppModule, in copy: URL) throws(BuildFailure) {
        let links = folder.appendingPathComponent(module.name)
        try Files.link(module.sources + module.resourceFiles, in: links)
        var tool = Tool(name: executable.path)
        tool.onLine = onChange
        let kind =
            switch module.kind {
            case .app: ["--app"]
            case .library: [String]()
            case .tests: ["--test"]
            }
        try tool.succeed([links.path, copy.path, "--verbose"] + kind)
    }

    private var package: URL { BridgedSource.tool("PrepareApp", in: bridged) }
    private var executable: URL { package.appendingPathComponent(".build/debug/prepare-app") }

    /// Builds `prepare-app`, unless that has been done since it has changed.
    func build() throws(BuildFailure) {
        let sources =
            FolderContent.files(in: package.appendingPathComponent("Sources"))
            .map { package.appendingPathComponent("Sources/\($0)") } + [package.appendingPathComponent("Package.swift")]
        if let built = executable.changed, !sources.contains(where: { $0.changed ?? .distantFuture > built }) { return }
        log("Building prepare-app, which rewrites Swift for Linux. The first time takes some minutes.")
        try Tool(name: "swift").succeed(["build", "--package-path", package.path, "--product", "prepare-app"])
    }
}

extension URL {
    fileprivate var changed: Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
