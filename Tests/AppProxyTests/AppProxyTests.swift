import BridgeBrowsers
import BridgeServer
import BridgeTraffic
import Foundation
import TestSupport
import Testing

@testable import AppProxy

/// A real nginx between a client and an app's server.
@MainActor @Suite(.timeLimit(.minutes(2))) struct AppProxyTests {
    @Test func everythingPassesThrough_andDocumentsGetTheScript() async throws {
        try await withUpstream { upstream in
            let server = try BridgeServer()
            var settings = ProxySettings(app: try #require(AppAddress("http://localhost:\(upstream)")), daemonPort: 1)
            settings.port = 0
            settings.userAgentSuffix = "Hotwire \"Native\" $iOS; a\\b"
            let proxy = AppProxy(settings, traffic: server.traffic)
            defer { proxy.stop() }
            let port = try await proxy.start()
            let checks = try await Python.run("checks.py", "\(port)", "\(upstream)")
            #expect(checks.status == 0 && checks.errors.contains("Ran 18 tests"), "\(checks.errors)")
            let note = try await server.traffic.next(
                .problem("policyRelaxed", "connect-src 'self' https://api.example.com"), after: 0, timeout: .seconds(10)
            )
            #expect(note.json["code"]?.string == "policyRelaxed")
            _ = try await server.traffic.next(
                .problem("scriptNotAdded", "gzip"), after: 0, timeout: .seconds(10))
        }
    }

    /// The certificate of a development server is often its own.
    @Test func appWithHTTPS_getsItsOwnName_andItsRedirectsStayInTheProxy() async throws {
        try await withUpstream(hasTLS: true) { upstream in
            var settings = ProxySettings(app: try #require(AppAddress("https://localhost:\(upstream)")), daemonPort: 1)
            settings.port = 0
            let proxy = AppProxy(settings, traffic: try BridgeServer().traffic)
            defer { proxy.stop() }
            let port = try await proxy.start()
            let page = try await HTTPClient.request(path: "/", port: port)
            #expect(page.status == 200 && page.body.contains("<script src=\"/__bridged__/bridge.js\""))
            let fields = try await HTTPClient.request(
                path: "/request", port: port, headers: ["Origin: http://localhost:\(port)"])
            #expect(fields.body.contains("\"host\": \"localhost:\(upstream)\""), "\(fields.body)")
            #expect(fields.body.contains("\"origin\": \"https://localhost:\(upstream)\""), "\(fields.body)")
            let redirect = try await HTTPClient.request(path: "/redirect?to=https://HOST/x", port: port)
            #expect(redirect.fields["location"] == "http://localhost:\(port)/x")
        }
    }

    @Test func appThatIsDown_isNamed() async throws {
        let server = try BridgeServer()
        var settings = ProxySettings(app: try #require(AppAddress("http://localhost:9")), daemonPort: 1)
        settings.port = 0
        let proxy = AppProxy(settings, traffic: server.traffic)
        defer { proxy.stop() }
        let response = try await HTTPClient.request(path: "/", port: try await proxy.start())
        #expect(response.status == 502 && response.body.contains("http://localhost:9 does not answer. Start the app"))
    }

    @Test func failures_sayWhatToDo() async throws {
        let server = try BridgeServer()
        var settings = ProxySettings(app: try #require(AppAddress("http://localhost:9")), daemonPort: 1)
        settings.port = 0
        let missing = AppProxy(settings, traffic: server.traffic)
        await #expect(throws: AppProxy.Failure.self) {
            try await missing.start(executable: URL(fileURLWithPath: "/nowhere/nginx"))
        }
        let first = AppProxy(settings, traffic: server.traffic)
        defer { first.stop() }
        settings.port = try await first.start()
        let second = AppProxy(settings, traffic: server.traffic)
        await #expect(throws: AppProxy.Failure.portInUse(settings.port)) { try await second.start() }
    }

    @Test func nginxThatIsKilled_isReported() async throws {
        let server = try BridgeServer()
        var settings = ProxySettings(app: try #require(AppAddress("http://localhost:9")), daemonPort: 1)
        settings.port = 0
        let proxy = AppProxy(settings, traffic: server.traffic)
        defer { proxy.stop() }
        _ = try await proxy.start()
        proxy.process?.end()
        _ = try await server.traffic.next(.problem("proxyEnded", "no longer served"), after: 0, timeout: .seconds(10))
    }

    @Test(arguments: [
        "ftp://localhost", "http://localhost:3000/path", "http://a;b", "localhost:3000", "http://user@host",
        "http://a b",
        "http://host:0", "http://host/?x",
    ])
    func addressesThatAreNone_areRefused(_ text: String) { #expect(AppAddress(text) == nil) }

    /// Runs the app's server, and gives its port.
    private func withUpstream(hasTLS: Bool = false, _ body: @MainActor (String) async throws -> Void) async throws {
        let folder = try FileManager.default.makeTemporaryFolder("upstream")
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", Repository.file("Tests/AppProxyTests/upstream.py").path]
            + (hasTLS ? [try await certificate(in: folder)] : [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let line = try await offThread { output.fileHandleForReading.availableData }
        try await body(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// - Returns: the path of a file with a new key and its certificate.
    private func certificate(in folder: URL) async throws -> String {
        let file = folder.appendingPathComponent("server.pem").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj"]
            + ["/CN=localhost", "-keyout", file, "-out", file + ".crt"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let running = process
        try await offThread { running.waitUntilExit() }
        let key = try String(contentsOfFile: file, encoding: .utf8)
        try (key + String(contentsOfFile: file + ".crt", encoding: .utf8))
            .write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}

extension TrafficFilter {
    fileprivate static func problem(_ code: String, _ text: String) -> TrafficFilter {
        TrafficFilter([.init(.reason, code), .init(.text, text)])
    }
}

/// A script of this folder.
private enum Python {
    static func run(_ script: String, _ arguments: String...) async throws -> (status: Int32, errors: String) {
        let process = Process()
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Repository.file("Tests/AppProxyTests/\(script)").path] + arguments
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let running = process
        let status = try await offThread { () -> Int32 in
            running.waitUntilExit()
            return running.terminationStatus
        }
        return (status, try String(contentsOf: errors, encoding: .utf8))
    }
}
