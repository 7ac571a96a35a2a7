import ArgumentParser
import BridgeProtocol
import Foundation
import Turbo

/// Reads what `--config` and its like name: a file, or a URL.
@MainActor enum ConfigurationFile {
    /// - Throws: `PathConfigurationSourceError`, which says what to do.
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
            }
        }
        if isServer { wait(for: configuration) }
        if let failure, !isLoaded { throw failure }
        if let failure { Stderr.write("Warning: \(failure) The last answer is used, which was kept on disk.") }
        return configuration.document
    }

    /// One URL a line, or a path of the app. Empty lines and those that begin with # are passed over.
    static func urls(_ file: String) throws -> [URL] {
        let lines = try text(file).split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line in
            guard let url = URL(string: line) else { throw Mistake("'\(line)' in \(file) is no URL. Give one a line.") }
            return url
        }
    }

    static func text(_ file: String) throws -> String { String(decoding: try data(file), as: UTF8.self) }

    /// - Parameter file: `-` for standard input.
    static func data(_ file: String) throws -> Data {
        if file == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        return try PathConfigurationSourceError.contents(of: URL(fileURLWithPath: file))
    }

    private static func source(_ name: String) throws -> (PathConfiguration.Source, isServer: Bool) {
        guard name.hasPrefix("http://") || name.hasPrefix("https://") else {
            return (.file(URL(fileURLWithPath: name)), false)
        }
        guard let url = URL(string: name) else { throw Mistake("'\(name)' is no URL. Give one, or a file.") }
        return (.server(url), true)
    }

    /// The answer comes on the main actor, which is this thread.
    private static func wait(for configuration: PathConfiguration) {
        var isFinished = false
        Task {
            await configuration.finishLoading()
            isFinished = true
        }
        while !isFinished { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
    }
}

/// A mistake in what was given, with its way out.
struct Mistake: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
