import BridgeProcesses
package import Foundation

/// An app that has been built.
package struct BuiltApp {
    package let executable: URL
    /// The origins in the app's source; nil if they are not known, because something else has built the app.
    package let origins: [String]?
    /// The variables of the environment that its scheme sets.
    package let environment: [String: String]
    /// Whether flows can run in it; nil if that is not known.
    package let runsFlows: Bool?
    /// If this is a program with tests: the libraries that they use.
    package let testLibraries: [TestLibrary]
    /// What was cut out so that the app compiles; nil if it was not built here.
    package let cuts: CutReport?

    fileprivate init(_ bundle: AppBundle, _ product: String, _ source: AppSource, cuts: CutReport) {
        (executable, runsFlows) = (bundle.file(product), bundle.runsFlows)
        (origins, environment, testLibraries) = (source.origins, source.environment, source.testLibraries)
        self.cuts = cuts
    }

    /// An app that was built before.
    package init(executable: URL) {
        let bundle = AppBundle(folder: executable.deletingLastPathComponent())
        self.executable = executable
        (origins, environment, runsFlows) = (bundle.origins, bundle.environment, bundle.runsFlows)
        testLibraries = []
        cuts = nil
    }
}

/// A library for tests, by the name of its module.
package enum TestLibrary: String, CaseIterable, Sendable {
    case xctest = "XCTest"
    case swiftTesting = "Testing"

    /// What tells a program with tests to run those of this library. It runs one library at a time.
    package var arguments: [String] {
        switch self {
        case .xctest: []
        case .swiftTesting: ["--testing-library", "swift-testing"]
        }
    }
}

/// Builds an app's own Swift for Linux: reads its project, fetches its packages, rewrites what Linux's compiler refuses in
/// copies, and compiles them with bridged's UIKit and WebKit.
package struct AppBuild {
    /// The path of a `.xcodeproj`, a `.xcworkspace`, a `Package.swift`, or a folder that has one of them.
    package var project: String
    /// The name of the app's target; nil if the project has only one.
    package var target: String?
    /// The scheme whose variables of the environment the app gets; nil if the project has only one, or they do not differ.
    package var scheme: String?
    /// Folders with packages by their identity. They replace what the project names.
    package var packages: [String: URL] = [:]
    /// Whether it is an error that something must be cut out.
    package var isStrict = false
    /// Gets a line for each step.
    package var log: (String) -> Void = { _ in }
    /// Gets a line for each change of a source file, and the compiler's own lines.
    package var onDetail: ((String) -> Void)?

    package init(project: String) { self.project = project }

    /// Reads the project, which takes little time beside a build.
    /// - Parameter hasTests: whether the unit tests of the app or of the library are wanted, too.
    package func readSource(hasTests: Bool) throws(BuildFailure) -> AppSource {
        let cache = try AppBuild.cache().appendingPathComponent("manifests")
        var source = try AppSource.read(project, target: target, hasTests: hasTests, cache: cache)
        if let choice = try source.choose(scheme: scheme) { log(choice) }
        return source
    }

    /// Builds the app.
    /// - Parameters:
    ///   - hasTests: whether to build the unit tests instead. Their program lies where the app's resources are, because
    ///     these are in its `Bundle.main`.
    ///   - runsFlows: whether flows can run in the app. What runs them is nearly half of what a first build compiles.
    package func build(_ source: AppSource, hasTests: Bool, runsFlows: Bool) throws(BuildFailure) -> BuiltApp {
        let bridged = try BridgedSource.find()
        let cache = try AppBuild.cache()
        announce(source, hasTests)
        let key = StableHash.of(Array(project.absolutePath.utf8))
        let folder = cache.appendingPathComponent("\(source.name)-\(hasTests ? "tests-" : "")\(key)")
        let builds = cache.appendingPathComponent("build-\(StableHash.of(Array(bridged.path.utf8)))")
        let preparation = Preparation(
            executable: try PrepareApp(bridged: bridged, log: log).build(),
            folder: folder.appendingPathComponent("links"), onChange: onDetail)
        // Another build of the same app would write the same copies.
        let lock = try FolderLock(folder) { log("Waiting for the end of another build of \(source.name).") }
        defer { lock.unlock() }
        var package = try linuxPackage(source, in: folder.appendingPathComponent("package"), cache, bridged)
        // A module for flows that is compiled already costs nothing, and with it the app need not be linked again when
        // flows are wanted.
        package.runsFlows = runsFlows || BuildFolder.hasCompiled("AppTesting", in: builds)
        try package.write(with: preparation)
        let product = hasTests ? "\(package.name)PackageTests.xctest" : package.name
        package.missingKinds = MissingKinds(source, project: URL(fileURLWithPath: project).standardizedFileURL)
        let bundle = AppBundle(folder: folder.appendingPathComponent("package/\(package.name).app", isDirectory: true))
        let record = BuildRecord(file: folder.appendingPathComponent("built"))
        // Called again after the build: the copies may have lost parts that do not compile.
        let inputs = { "\(product) \(package.inputs(source, with: preparation).fingerprint)" }
        if !record.holds(inputs()) || !bundle.has(product) {
            record.remove()
            let build = try BuildFolder(builds) { log("Waiting for the end of another build.") }
            defer { build.unlock() }
            try compile(package, in: build, preparation, hasTests ? ["--build-tests"] : ["--product", package.name])
            try bundle.install(product, source, package, from: build.folder)
            try record.write(inputs())
        }
        try bundle.describe(source, runsFlows: package.runsFlows)
        let cuts = CutReport(package, package.missingKinds)
        guard cuts.isEmpty || !isStrict else {
            throw BuildFailure("The compiler refuses a part of it.\n\(cuts.description)")
        }
        return BuiltApp(bundle, product, source, cuts: cuts)
    }

    /// Says what is built, and what is not.
    private func announce(_ source: AppSource, _ hasTests: Bool) {
        let subject = hasTests ? "The tests of" : "The app"
        log("\(subject) \(source.name): \(source.modules.reduce(0) { $0 + $1.sources.count }) Swift files")
        for file in source.unsupported {
            log("warning: \(file.path) is left out: bridged builds Swift only.")
        }
        for resource in source.resources {
            if !FileManager.default.fileExists(atPath: resource.file.path) {
                log("warning: \(resource.file.path) is left out: the project names it, but it does not exist.")
            } else if Files.isLinkToFolder(resource.file) {
                log(
                    "warning: \(resource.file.path) is left out: it is a link to a folder. Put the folder in its place."
                )
            }
        }
    }

    /// The folder for copies and builds, which can be deleted at any time.
    private static func cache() throws(BuildFailure) -> URL {
        guard let folder = FileManager.default.cacheFolder("apps") else {
            throw BuildFailure("There is no folder for the build: set HOME or XDG_CACHE_HOME.")
        }
        return folder
    }

    private func linuxPackage(
        _ source: AppSource, in folder: URL, _ cache: URL, _ bridged: URL
    ) throws(BuildFailure) -> LinuxPackage {
        let checkouts = Checkouts(
            cache: cache.appendingPathComponent("checkouts", isDirectory: true), pins: source.pins, overrides: packages,
            log: log)
        var graph = PackageGraph(
            checkouts: checkouts, cache: cache.appendingPathComponent("manifests"), bridged: bridged)
        var modules = source.modules
        for index in modules.indices {
            for use in source.products where use.module == modules[index].name {
                modules[index].dependencies += try graph.add(
                    product: use.product, package: use.package, among: source.packages + overriding(source),
                    for: use.module)
            }
        }
        for (package, reason) in graph.missing {
            let text = "\(package) is left out, because it cannot be fetched or read: \(reason.description)"
            guard !isStrict else { throw BuildFailure(text) }
            log("warning: \(text)")
        }
        for name in graph.leftOut { log("warning: \(name), is left out: bridged builds Swift only.") }
        return LinuxPackage(
            name: source.name, modules: modules + graph.modules, packages: graph.packages, folder: folder,
            bridged: bridged)
    }

    /// The packages that only the user names, so that a product can be found although the project does not say where.
    private func overriding(_ source: AppSource) -> [PackageReference] {
        packages.keys.sorted().filter { name in !source.packages.contains { $0.identity == name } }
            .compactMap { packages[$0].map { PackageReference(folder: $0) } }
    }

    /// Compiles the package. What the compiler refuses in a module is cut out of it.
    private func compile(
        _ package: LinuxPackage, in build: BuildFolder, _ preparation: Preparation, _ arguments: [String]
    ) throws(BuildFailure) {
        log("Building for Linux.\(build.isNew ? " The first time takes some minutes." : "")")
        try build.use(for: package.folder)
        var tool = Tool(name: "swift")
        tool.onLine = onDetail
        var repaired: Set<String> = []
        while true {
            let result = try tool.run(
                ["build", "--package-path", package.folder.path, "--scratch-path", build.folder.path] + arguments)
            guard result.status != 0 else { return }
            let errors = CompilerErrors(result.output, originals: [:])
            let refused = package.modules.filter { $0.kind != .tests && errors.concern(package.sources(of: $0)) }
            // A module that was repaired and is refused again would be refused for ever.
            guard !refused.isEmpty, !refused.contains(where: { repaired.contains($0.name) }) else {
                throw failure(result.output, package)
            }
            repaired.formUnion(refused.map(\.name))
            for module in refused {
                log("\(module.name) does not compile as it is. Looking for what can be left out.")
                guard let check = ModuleCheck(module.name, in: build.folder) else {
                    throw failure(result.output, package)
                }
                try ModuleRepair(module: module, package: package, preparation: preparation, check: check).run()
            }
        }
    }

    private func failure(_ output: String, _ package: LinuxPackage) -> BuildFailure {
        let errors = package.errors(output)
        guard errors.problems.isEmpty else { return BuildFailure(errors.description) }
        let end = output.split(whereSeparator: \.isNewline).suffix(15).joined(separator: "\n  ")
        return BuildFailure("swift build failed:\n  \(end)")
    }
}

extension LinuxPackage {
    /// What the app is built from, as it is when this is called: the rewritten copies count, not the app's own files.
    fileprivate func inputs(_ source: AppSource, with preparation: Preparation) -> BuildInputs {
        let appCode = BridgedSource.appCode(in: bridged)
        let own = [bridged, appCode].map { $0.appendingPathComponent("Sources") }
        let resources = source.resources.map(\.file)
        let folders = resources.filter(FolderContent.isFolder)
        let manifests = [bridged, appCode].map { $0.appendingPathComponent("Package.swift") }
        return BuildInputs(
            folders: [folder.appendingPathComponent("Sources"), bridged.appendingPathComponent("web")] + own + packages
                + folders,
            files: manifests + resources.filter { !folders.contains($0) },
            texts: [
                // Its path names the toolchain.
                manifest, preparation.executable.path, String(decoding: source.infoPlist ?? Data(), as: UTF8.self),
            ])
    }

    /// What the compiler has refused, with the places in the app's own files.
    func errors(_ output: String) -> CompilerErrors {
        CompilerErrors(output, originals: originals, kinds: missingKinds)
    }

    /// The app's own file for the path of each rewritten copy.
    private var originals: [String: String] {
        let pairs = modules.flatMap { module in
            module.sources.map { (sources(of: module).appendingPathComponent($0.path).path, $0.file.path) }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension String {
    fileprivate var absolutePath: String { URL(fileURLWithPath: self).standardizedFileURL.path }
}

/// The sources of bridged, which an app on Linux is built with.
enum BridgedSource {
    /// `BRIDGED_SOURCE`, or the folder above the executable that has them.
    static func find() throws(BuildFailure) -> URL {
        if let path = ProcessInfo.processInfo.environment["BRIDGED_SOURCE"] {
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            guard isSource(folder) else {
                throw BuildFailure("BRIDGED_SOURCE is \(path), which is no clone of bridged.")
            }
            return folder
        }
        var folder = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if isSource(folder) { return folder }
        }
        throw BuildFailure(
            "The app is built with bridged's own sources, which are not above this executable. "
                + "Name a clone of them: BRIDGED_SOURCE=FOLDER")
    }

    private static func isSource(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: appCode(in: folder).appendingPathComponent("Sources/AppHost").path)
    }

    /// The package `AppCode`, with which apps are built.
    static func appCode(in bridged: URL) -> URL { bridged.appendingPathComponent("AppCode", isDirectory: true) }

    /// A package that builds need and that is apart from `AppCode`, so that nobody else fetches what it depends on.
    static func tool(_ name: String, in bridged: URL) -> URL {
        appCode(in: bridged).appendingPathComponent("Tools/\(name)")
    }
}
