import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// https and wss with a self-signed certificate.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct TLSTests {
    private let folder: TemporaryFolder
    private let files: TLSFiles

    init() async throws {
        folder = try TemporaryFolder()
        files = TLSFiles(certificate: folder.path("cert.pem"), key: folder.path("key.pem"))
        _ = try await openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-keyout", files.key, "-out", files.certificate, "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1")
    }

    /// Runs the `openssl` command.
    /// - Returns: its whole output.
    private func openssl(_ arguments: String..., input: String = "") async throws -> String {
        try await Executable.run(
            arguments, input: input, by: "shift; exec openssl \"$@\" 2>&1"
        ).output
    }

    /// Sends a request from a client that trusts the certificate.
    private func get(_ host: String, _ port: UInt16, _ options: String...) async throws -> String {
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let client = "s_client -ign_eof -connect \(host):\(port) -CAfile \(files.certificate) -verify_return_error "
        return try await Executable.run(
            [], input: request, by: "exec openssl \(client) \(options.joined(separator: " ")) 2>&1"
        ).output
    }

    @Test func servesHTTPSOnEveryAddress() async throws {
        try await withServer {
            $0.tls = files
        } _: { _, address in
            #expect(address.url == "https://127.0.0.1:\(address.port)/")
            for host in ["127.0.0.1", "[::1]"] {
                let answer = try await get(host, address.port, "-alpn", "h2,http/1.1")
                #expect(answer.contains("HTTP/1.1 200 OK"))
                #expect(answer.contains("ALPN protocol: http/1.1"))
            }
            #expect(try await !get("127.0.0.1", address.port, "-tls1_1").contains("200 OK"))
            // A plain http request gets no response.
            #expect(
                try await HTTPClient.exchange("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", port: address.port)
                    == "")
        }
    }

    @Test func takesOnlyAuthenticatedEncryptionWithForwardSecrecy() async throws {
        try await withServer {
            $0.tls = files
        } _: { _, address in
            let refused = ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM8"]
            for cipher in refused {
                let answer = try await get("127.0.0.1", address.port, "-tls1_2 -cipher \(cipher):@SECLEVEL=0")
                #expect(answer.contains("Cipher is (NONE)") && !answer.contains("200 OK"), "\(cipher)")
            }
            for cipher in ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"] {
                let answer = try await get("127.0.0.1", address.port, "-tls1_2 -cipher \(cipher)")
                #expect(answer.contains("Cipher is \(cipher)") && answer.contains("200 OK"), "\(cipher)")
            }
            #expect(try await get("127.0.0.1", address.port, "-tls1_3").contains("200 OK"))
        }
    }

    @Test func recordsFailedHandshakesAndNoOthers() async throws {
        try await withServer {
            $0.tls = files
        } _: { server, address in
            let recorder = Recorder(server)
            // Unused connections, as browsers open them in advance: one sends nothing, one completes its handshake.
            _ = try await HTTPClient.trickle("", every: .zero, port: address.port)
            _ = try await openssl("s_client", "-connect", "127.0.0.1:\(address.port)", "-CAfile", files.certificate)
            _ = try await HTTPClient.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", port: address.port)
            let plain = try await recorder.problem("tlsFailed")
            #expect(
                plain.text
                    == "A client at 127.0.0.1 did not use TLS, or broke off the TLS handshake.")
            _ = try await openssl("s_client", "-connect", "127.0.0.1:\(address.port)", "-verify_return_error")
            _ = try await recorder.first { $0.problemText?.contains("does not trust the daemon's certificate") == true }
            _ = try await get("127.0.0.1", address.port, "-tls1_1 -cipher DEFAULT@SECLEVEL=0")
            _ = try await recorder.first { $0.problemText?.contains("with alert 70") == true }
            // Something that is not a request, inside TLS.
            _ = try await openssl(
                "s_client", "-connect", "127.0.0.1:\(address.port)", "-CAfile", files.certificate, "-ign_eof",
                input: "hello, is anybody there?\r\n\r\n")
            _ = try await recorder.problem("malformedRequest")
            #expect(recorder.records.compactMap(\.problemText).count == 4)
        }
    }

    @Test func attachesPageOverWSS() async throws {
        try await withServer {
            $0.tls = files
        } _: { server, address in
            let recorder = Recorder(server)
            let browser = try launch(
                .chromium, "\(address.url)demo/", arguments: ["--ignore-certificate-errors"])
            _ = try await recorder.first { if case .page(.attached) = $0.event { true } else { false } }
            let page = try #require(server.pages.first)
            #expect(page.frame.origin == "https://127.0.0.1:\(address.port)")
            let url = try await page.evaluate("document.bridged.url").decode(String.self)
            #expect(url == "wss://127.0.0.1:\(address.port)/page")
            browser.close()
        }
    }

    @Test func saysWhatIsWrongWithTheTLSFiles() async throws {
        _ = try await openssl(
            "genpkey", "-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", folder.path("other.pem"))
        let mistakes: [(certificate: String, key: String, text: String)] = [
            (folder.path("nowhere.pem"), files.key, "cannot be read"), (files.key, files.key, "is not a certificate"),
            (files.certificate, files.certificate, "is not a private key"),
            (files.certificate, folder.path("other.pem"), "belongs to the certificate"),
        ]
        for mistake in mistakes {
            let error = await #expect(throws: (any Error).self) {
                try await withServer {
                    $0.tls = TLSFiles(certificate: mistake.certificate, key: mistake.key)
                } _: { _, _ in
                }
            }
            #expect(error.map { "\($0)" }?.contains(mistake.text) == true)
        }
    }

    @Test func commandSaysHowToTrustTheCertificate() async throws {
        try await withServer {
            $0.tls = files
        } _: { _, address in
            let outcome = try await Executable.run(["pages", "--url", "https://localhost:\(address.port)"])
            #expect(outcome.status != 0 && outcome.errors.contains("docs/security.md"))
        }
    }
}

extension TrafficRecord {
    fileprivate var problemText: String? {
        if case .problem(_, let text, _, _, _) = event { text } else { nil }
    }
}
