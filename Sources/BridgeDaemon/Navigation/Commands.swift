import ArgumentParser
import BridgeProtocol
import Foundation
import Turbo

/// What the commands about path configurations share.
extension ParsableCommand {
    /// Runs the command's work on the main actor. An error that it throws is told in the one way, and ends it with 2.
    func orTrouble(_ work: @MainActor () throws -> Void) throws {
        do {
            try MainActor.assumeIsolated { try work() }
        } catch let status as ExitCode {
            throw status
        } catch {
            Stderr.write("Error: \(error)")
            throw ExitCode(2)
        }
    }
}

/// Standard error, a line at a time.
enum Stderr {
    static func write(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}

/// Prints a value as one line of JSON.
func printJSON(_ value: some JSONWritable) {
    var writer = JSONWriter()
    value.write(to: &writer)
    print(writer.text)
}

/// A URL of the command line, or a path of the app.
func parseURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), !text.isEmpty else {
        throw Mistake("'\(text)' is no URL. Give one like https://app.example/posts/1, or a path like /posts/1.")
    }
    return url
}
