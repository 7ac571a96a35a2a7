import BridgeProcesses
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// A window of `bridged-webkit` for a daemon within the test.
@MainActor final class HostedWindow {
    let server: BridgeServer
    let recorder: Recorder
    let site: Site
    let process: HostProcess

    init(_ server: BridgeServer, _ address: BridgeServer.Address, _ site: Site, arguments: [String]) async throws {
        self.server = server
        self.site = site
        recorder = Recorder(server)
        let token = try DiscoveryFileContents(path: address.discoveryFile).token
        process = try HostProcess(
            [site.url, "--daemon", "http://127.0.0.1:\(address.port)", "--headless", "--parent-pipe"] + arguments,
            token: token)
        #expect(try await process.firstLine() == #"{"ready":true}"#)
    }

    /// Returns the page that shows a path of the site, when it is attached.
    func page(_ path: String = "/") async throws -> Page { try await page(at: site.url(path)) }

    func page(at url: String, after record: Int = 0) async throws -> Page {
        let found = try await recorder.first { [server] record in
            record.event.kind == .page && server.pages.contains { $0.id == record.page && $0.url == url }
        }
        return try #require(server.pages.first { $0.id == found.page })
    }

    /// Waits for a message and returns its body as JSON.
    func message(to handler: String) async throws -> ScriptValue {
        let record = try await recorder.first {
            if case .message(handler, _, _, _, _) = $0.event { true } else { false }
        }
        guard case .message(_, _, let body, _, _) = record.event else { return .undefined }
        return body
    }
}

/// Runs `body` with a window that shows the site's first page.
@MainActor func withHostedWindow(
    _ pages: [String: String] = ["/": "<!doctype html><title>First</title>"], arguments: [String] = [],
    prepare: @MainActor (BridgeServer) -> Void = { _ in }, _ body: @MainActor (HostedWindow) async throws -> Void
) async throws {
    try await withServer { server, address in
        prepare(server)
        let window = try await HostedWindow(server, address, try Site(pages), arguments: arguments)
        do {
            try await body(window)
        } catch {
            _ = try await window.process.end()
            throw error
        }
        #expect(try await window.process.end() == 0)
    }
}

/// A process of `bridged-webkit`.
final class HostProcess: Sendable {
    private let process: ChildProcess
    private let input = Pipe.withoutInheritance()
    private let output = Pipe.withoutInheritance()

    init(_ arguments: [String], token: String) throws {
        process = try ChildProcess(
            Executable.beside("bridged-webkit"), arguments,
            environment: ProcessInfo.processInfo.environment.merging(["BRIDGED_TOKEN": token]) { $1 },
            input: .pipe(input), output: .pipe(output), errors: .standardError)
    }

    var id: Int32 { process.id }

    func firstLine() async throws -> String {
        try await offThread { [output] in
            String(decoding: output.fileHandleForReading.readChunk(), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Closes its standard input, and waits until it has ended.
    /// - Returns: its status.
    func end() async throws -> Int32 {
        try input.fileHandleForWriting.close()
        return try await status()
    }

    func status() async throws -> Int32 { try await offThread { [process] in process.waitForEnd().shellStatus } }

    deinit { process.signal(SIGKILL) }
}
