import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `rediss://`, with a real Redis.
@Suite(.timeLimit(.minutes(2))) struct RedisTLSTests {
    private let folder: TemporaryFolder
    private let port: UInt16
    private var certificate: String { folder.path("certificate.pem") }
    private var key: String { folder.path("key.pem") }
    /// The query that names the certificate as one to trust.
    private var trust: String { "name=test&ca=\(certificate)" }

    init() async throws {
        folder = try TemporaryFolder()
        // Released at once, so that Redis can have it.
        port = try ListeningSocket().port
        let command =
            "exec openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            + "-keyout \(key) -out \(certificate) -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        #expect(try await Executable.run([], by: command).status == 0)
    }

    private func redis(demandsCertificates: Bool = false) async throws -> RedisServer {
        try await RedisServer(
            "--tls-port", "\(port)", "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file",
            certificate, "--tls-auth-clients", demandsCertificates ? "yes" : "no")
    }

    @Test func nodesWorkTogether_overTLS() async throws {
        let redis = try await redis(demandsCertificates: true)
        let url = "rediss://localhost:\(port)?\(trust)&cert=\(certificate)&key=\(key)"
        let (first, second) = (try await Node(url), try await Node(url))
        try await first.sees(2)
        try await second.sees(2)
        let (page, attached) = try await PageClient.attach(port: first.port)
        // Larger than what TLS puts into one record.
        let text = String(repeating: "x", count: 500_000)
        await page.post(#"{"name":"Large","text":"\#(text)"}"#, seq: 1)
        _ = try await page.next("method", "page.ack")
        try await second.lists(try #require(attached["page"]?.string))
        let record = try await second.tool.call(
            "messages.wait", #"{"after":0,"filter":"kind:message","match":{},"timeoutMs":30000}"#)
        #expect(record["body"]?["text"]?.string?.count == text.count)
        #expect(try await first.tool.call("daemon.info")["cluster"]?["redis"]?.string == "rediss://localhost:\(port)/0")
        redis.stop()
    }

    @Test(arguments: [
        ("rediss://localhost:PORT?name=test", "its certificate is not accepted: self-signed certificate", "ca=FILE"),
        ("rediss://127.0.0.1:PORT?TRUST", "its certificate is not accepted: IP address mismatch", "that is in its"),
        ("rediss://localhost:PORT?name=test&ca=/nowhere.pem", "/nowhere.pem, which ca= in --cluster", "cannot be read"),
        ("redis://localhost:PORT?name=test", "cannot be used", "TLS"),
    ])
    func saysWhatIsWrong(_ url: String, _ reason: String, _ remedy: String) async throws {
        let redis = try await redis()
        let line = try await problem(url)
        #expect(line.contains(reason) && line.contains(remedy), "\(line)")
        redis.stop()
    }

    @Test func saysThatServerDemandsCertificate() async throws {
        let redis = try await redis(demandsCertificates: true)
        let line = try await problem("rediss://localhost:PORT?TRUST")
        #expect(line.contains("cert=FILE&key=FILE"), "\(line)")
        redis.stop()
    }

    @Test func saysThatServerHasNoTLS() async throws {
        let redis = try await RedisServer("--port", "\(port)")
        #expect(try await problem("rediss://localhost:PORT?TRUST").contains("no TLS on this port"))
        redis.stop()
    }

    /// Starts a daemon, and returns its line about Redis.
    private func problem(_ url: String) async throws -> String {
        let url = url.replacing("PORT", with: "\(port)").replacing("TRUST", with: trust)
        let node = try await Node(url)
        for await line in node.daemon.lines where line.contains("\"clusterUnreachable\"") { return line }
        throw CancellationError()
    }
}
