import Foundation

/// Rewrites what Linux's compiler refuses, with `prepare-app` of `AppCode/Tools/PrepareApp`.
struct Preparation {
    /// `prepare-app`, as `PrepareApp` has built it.
    let executable: URL
    /// The folder for links to the files of each module.
    let folder: URL
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
}
