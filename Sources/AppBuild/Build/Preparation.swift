import Foundation

/// Rewrites what Linux's compiler refuses, with `prepare-app` of `AppCode/Tools/PrepareApp`.
struct Preparation {
    /// `prepare-app`, as `PrepareApp` has built it.
    let executable: URL
    /// The folder for links to the files of each module.
    let folder: URL
    /// Gets each change of a source file.
    let onChange: ((String) -> Void)?

    /// - Parameter repairs: the file that says what is cut out of the module; nil if nothing may be.
    /// - Parameter compilerOutput: what the compiler has said about the last copy. What it refuses is cut out, too.
    func prepare(
        _ module: AppModule, in copy: URL, repairs: URL? = nil, compilerOutput: String? = nil
    ) throws(BuildFailure) {
        let links = folder.appendingPathComponent(module.name)
        try Files.link(module.sources + module.resourceFiles, in: links)
        var tool = Tool(name: executable.path)
        tool.onLine = onChange
        var arguments = [links.path, copy.path, "--verbose"]
        switch module.kind {
        case .app: arguments.append("--app")
        case .library: break
        case .tests: arguments.append("--test")
        }
        if let repairs { arguments += ["--repairs", repairs.path] }
        if let compilerOutput {
            let file = folder.appendingPathComponent("\(module.name).errors")
            try Files.write(Data(compilerOutput.utf8), to: file)
            arguments += ["--errors", file.path]
        }
        try tool.succeed(arguments)
    }
}
