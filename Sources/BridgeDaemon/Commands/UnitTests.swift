import AppBuild
import ArgumentParser
import BridgeProcesses
import Foundation

/// The unit tests of `bridged run --tests`: a program that runs the tests of one library at a time.
struct UnitTests {
    private let built: BuiltApp
    private let command: Run
    /// The lines of `BRIDGED_ORIGINS`.
    private let origins: [String]

    init(_ built: BuiltApp, _ command: Run, _ origins: [String]) {
        (self.built, self.command, self.origins) = (built, command, origins)
    }

    /// Runs the tests, which print their results themselves.
    /// - Returns: how this command ends.
    func run() throws -> ExitCode {
        guard !built.testLibraries.isEmpty else {
            throw CommandFailure("The test targets import neither XCTest nor Testing, so that nothing ran.", .failed)
        }
        let folder = try FileManager.default.makeTemporaryFolder("bridged-tests")
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = AppHome(folder: folder)
        try home.make()
        var hasFailed = false
        for library in built.testLibraries {
            do {
                hasFailed = try !start(library, in: home).waitForEnd().isSuccess || hasFailed
            } catch {
                throw CommandFailure("The tests cannot be started: \(error)", .failed)
            }
        }
        return hasFailed ? .failure : .success
    }

    private func start(_ library: TestLibrary, in home: AppHome) throws -> ChildProcess {
        var environment = command.app.environment(of: built, origins)
        environment["BRIDGED_ENGINE"] = command.engine.engine?.rawValue ?? environment["BRIDGED_ENGINE"]
        environment["PATH"] = Executables.pathWithOwnFolder
        environment.merge(home.environment) { $1 }
        return try ChildProcess(
            built.executable, library.arguments, environment: environment,
            folder: built.executable.deletingLastPathComponent(), output: .standardOutput, errors: .standardError)
    }
}
