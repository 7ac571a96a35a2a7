import ArgumentParser
import BridgeProtocol
import EmulatedApp
import Foundation
import PathConfiguration

/// Reads what `--config` and its like name: a file, or a URL.
@MainActor enum PathConfigurationFile {
    /// - Throws: `CommandFailure`.
    static func document(
        _ name: String, options: PathConfigurationDocument.Options = .init()
    ) throws -> PathConfigurationDocument {
        let (source, isServer) = try source(name)
        var isLoaded = false
        var failure: (any Error)?
        let configuration = PathConfiguration(sources: [source], options: options) { event in
            switch event {
            case .updated: isLoaded = true
            case .failed(_, let error): failure = error
            case .skipped(_, let problem): Terminal.complain("warning: \(name), \(problem)")
            }
        }
        if isServer { wait(for: configuration) }
        if let failure, !isLoaded { throw CommandFailure("\(failure)", .noInput) }
        if let failure { Terminal.complain("warning: \(failure) The last answer is used, which was kept on disk.") }
        return configuration.document
    }

    /// One URL a line, or a path of the app. Empty lines and those that begin with # are passed over.
    static func urls(_ file: String) throws -> [URL] {
        let lines = try text(file).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line in
            guard let url = URL(string: line) else {
                throw CommandFailure("'\(line)' in \(file) is no URL. Give one a line.", .noInput)
            }
            return url
        }
    }

    static func text(_ file: String) throws -> String { String(decoding: try data(file), as: UTF8.self) }

    /// - Parameter file: `-` for standard input.
    static func data(_ file: String) throws -> Data {
        if file == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
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
            throw CommandFailure("'\(name)' is no URL. Give one, or a file.", .usage)
        }
        return (.server(url), true)
    }

    /// The answer comes on the main actor, which is this thread.
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
