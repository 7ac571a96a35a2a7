import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// Reads the files of the `path` and `route` commands.
@MainActor enum PathConfigurationFile {
    /// Loads a path configuration, and waits until it is loaded. It prints a warning about each part that is skipped.
    ///
    /// - Parameter name: a file, or a URL.
    /// - Throws: `CommandFailure`.
    static func document(
        _ name: String, options: PathConfigurationDocument.Options
    ) throws -> PathConfigurationDocument {
        let (source, isServer) = try source(name)
        var isLoaded = false
        var failure: (any Error)?
        let configuration = PathConfiguration(sources: [source], options: options) { event in
            switch event {
            case .updated: isLoaded = true
            case .failed(_, let error): failure = error
            case .skipped(_, let problem): Terminal.printError(TerminalText.escape("warning: \(name), \(problem)"))
            case .gaveUp: break
            }
        }
        if isServer { wait(for: configuration) }
        if let failure {
            guard isLoaded else { throw CommandFailure("\(failure)", .noInput) }
            Terminal.printError(
                TerminalText.escape("warning: \(failure) The last answer, kept on disk, is used instead."))
        }
        return configuration.document
    }

    /// Reads URLs or paths of the app, one on each line. Empty lines and lines that begin with # are ignored.
    static func urls(_ file: String) throws -> [URL] {
        let lines = try text(file).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line in
            guard let url = URL(string: line) else {
                throw CommandFailure("'\(line)' in \(file) is not a URL. Put one URL on each line.", .noInput)
            }
            return url
        }
    }

    static func text(_ file: String) throws -> String { String(decoding: try data(file), as: UTF8.self) }

    /// Reads a whole file.
    /// - Parameter file: the path, or `-` for standard input.
    /// - Throws: `CommandFailure`.
    static func data(_ file: String) throws -> Data {
        if file == "-" { return Data(try Terminal.readInput()) }
        do {
            return try PathConfigurationSourceError.contents(of: URL(fileURLWithPath: file))
        } catch {
            throw CommandFailure("\(error)", .noInput)
        }
    }

    private static func source(_ name: String) throws -> (PathConfiguration.Source, isServer: Bool) {
        guard name.hasPrefix("http://") || name.hasPrefix("https://") else {
            return (.file(URL(fileURLWithPath: name)), false)
        }
        guard let url = URL(string: name) else {
            throw CommandFailure("'\(name)' is not a URL. Give one, or a file.", .usage)
        }
        return (.server(url), true)
    }

    /// Runs the main run loop until the configuration is loaded. A thread that only blocked would wait forever, because
    /// the server's answer is handled on the main actor, which is this thread.
    private static func wait(for configuration: PathConfiguration) {
        LocalTraffic.bypassProxy()
        var isFinished = false
        Task {
            await configuration.finishLoading()
            isFinished = true
        }
        while !isFinished { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
    }
}
