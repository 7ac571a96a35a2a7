import Foundation
import TestSupport
import Testing

/// What `bridged run` does before it builds an app.
struct RunCommandTests {
    /// An Xcode project of one file, in a folder that is removed afterwards.
    private func project(_ source: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let objects = """
            {objects = {
              P = {isa = PBXProject; mainGroup = G; buildConfigurationList = L; projectDirPath = ""; targets = (T);};
              L = {isa = XCConfigurationList; buildConfigurations = (C);};
              C = {isa = XCBuildConfiguration; name = Debug; buildSettings = {SWIFT_VERSION = 5.0;};};
              T = {isa = PBXNativeTarget; name = Sample; productType = "com.apple.product-type.application";
                   buildConfigurationList = L; buildPhases = (); fileSystemSynchronizedGroups = (A);};
              G = {isa = PBXGroup; children = (A); sourceTree = "<group>";};
              A = {isa = PBXFileSystemSynchronizedRootGroup; path = App; sourceTree = "<group>";};
            }; rootObject = P;}
            """
        for (path, text) in ["Sample.xcodeproj/project.pbxproj": objects, "App/Main.swift": source] {
            let file = URL(fileURLWithPath: folder.path(path))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return folder
    }

    /// The build would fail: it finds no source of bridged.
    private func run(_ folder: TemporaryFolder, _ options: [String]) async throws -> Executable.Outcome {
        try await Executable.run(
            ["run", folder.path("")] + options,
            environment: ["BRIDGED_SOURCE": folder.path("nothing"), "XDG_CACHE_HOME": folder.path("cache")])
    }

    @Test func ambiguousOrigin_isNamedBeforeTheBuild() async throws {
        let folder = try project(#"let urls = ["https://example.com/posts", "https://example.org"]"#)
        let outcome = try await run(folder, ["--url", "http://localhost:3000"])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(
            outcome.errors.contains("several origins: https://example.com, https://example.org"), "\(outcome.errors)")
    }

    /// The server of the developer's machine is the one that a debug build takes.
    @Test func ambiguousOrigin_mayBeOneOfThisMachine() async throws {
        let folder = try project(
            #"let urls = ["http://192.0.2.1:3000", "https://example.com", "http://localhost:3000/posts"]"#)
        let outcome = try await run(folder, ["--url", "http://localhost:4567"])
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("http://localhost:3000, https://example.com"), "\(outcome.errors)")
        #expect(outcome.errors.contains("--origin http://localhost:3000\n"), "\(outcome.errors)")
    }

    /// A phone reaches the developer's machine by such an address.
    @Test func addressesOfTheDevelopersMachine_areReplacedTogether() async throws {
        let folder = try project(
            #"let urls = ["http://192.168.1.69:3000", "http://172.32.0.1", "http://localhost:3000/posts"]"#)
        let outcome = try await run(folder, ["--url", "http://localhost:4567"])
        for origin in ["http://172.32.0.1", "http://192.168.1.69:3000", "http://localhost:3000"] {
            #expect(outcome.errors.contains("\(origin) in the app's source is http://localhost:4567 now"))
        }
    }

    @Test func unknownOrigin_isNamedBeforeTheBuild() async throws {
        let folder = try project(#"let url = "https://example.com/posts""#)
        let outcome = try await run(folder, ["--url", "http://localhost:3000", "--origin", "https://example.net"])
        let warning = "warning: https://example.net is not in the app's source, which has https://example.com\n"
        #expect(outcome.errors.hasPrefix(warning), "\(outcome.errors)")
    }

    @Test func optionsOfTheBuildChangeIt() async throws {
        let folder = try project("")
        let plain = try await run(folder, ["--build"])
        let target = try await run(folder, ["--build", "--target", "Other"])
        #expect(target.errors.contains("Other") && !plain.errors.contains("Other"), "\(target.errors)")
        let scheme = try await run(folder, ["--build", "--scheme", "Production"])
        #expect(scheme.errors.contains("There is no shared scheme Production"), "\(scheme.errors)")
        let package = try await run(folder, ["--build", "--package", "hotwire-native-ios"])
        #expect(package.status == 64 && package.errors.contains("--package needs a name and a folder"))
        let strict = try await Executable.run(["run", "/bin/sh", "--build", "--strict"])
        #expect(strict.status == 64 && strict.errors.contains("--strict has no effect: /bin/sh is built already"))
    }

    #if os(Linux)
        /// `swift build` puts each compiler into a group of its own. This one holds a named pipe as long as it runs.
        @Test(.timeLimit(.minutes(1)), arguments: [SIGTERM, SIGINT, SIGKILL])
        func signalDuringABuild_leavesNoCompiler(signal: Int32) async throws {
            let folder = try project("")
            let (pipe, swift) = (folder.path("pipe"), folder.path("swift"))
            #expect(mkfifo(pipe, 0o600) == 0)
            try "#!/bin/bash\nset -m\nsleep 300 >'\(pipe)' &\nwait\n"
                .write(toFile: swift, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
            let process = try Executable.start(
                ["run", folder.path(""), "--build"],
                environment: [
                    "PATH": "\(folder.path("")):/usr/bin:/bin", "BRIDGED_SOURCE": Repository.file("").path,
                    "XDG_CACHE_HOME": folder.path("cache"),
                ], output: .null)
            let left = try await offThread {
                let compiler = FileHandle(forReadingAtPath: pipe)
                process.signal(signal)
                defer { process.waitForEnd() }
                return compiler?.readAll()
            }
            #expect(left == Data())
        }
    #endif

    @Test(arguments: [
        (["--build", "--in", "firefox"], "--in"), (["--build", "--windows"], "--windows"),
        (["--build", "--port", "0"], "--port"), (["--tests", "--windows"], "--windows"),
        (["--tests", "--port", "0"], "--port"),
    ])
    func refusesOptionsWithoutEffect(_ options: [String], _ option: String) async throws {
        let outcome = try await Executable.run(["run", "My.xcodeproj"] + options)
        #expect(
            outcome.status == 64 && outcome.errors.contains("error: \(option) has no effect with"), "\(outcome.errors)")
    }

    @Test func originWithoutURL_isAMistake() async throws {
        let folder = try project("")
        let outcome = try await run(folder, ["--origin", "https://example.com"])
        #expect(outcome.status == 64 && outcome.errors.contains("--origin needs --url"), "\(outcome.errors)")
    }
}
