import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// The memory that all clients together may use, and that of one message.
@MainActor @Suite(.timeLimit(.minutes(4))) struct MemoryTests {
    private static let half = [UInt8](repeating: 0x20, count: 600 << 10)

    /// The page that began its message first is closed; a message that is sent quickly is not affected.
    @Test func closesPageThatHoldsMost_whichResumes() async throws {
        try await withServer {
            $0.limits.memoryBytes = 1 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let (hostile, _) = try await PageClient.attach(port: address.port, document: "d-1", webView: "hostile")
            let (honest, _) = try await PageClient.attach(port: address.port, document: "d-2")
            hostile.send(.text, Self.half, isFinal: false)
            // The answer shows that the daemon has read the first page's fragments.
            hostile.send(.ping, [1])
            await honest.post("\"\(String(repeating: "x", count: 500 << 10))\"", seq: 1, to: "echo", id: "r")
            _ = try await honest.next("id", "r")
            for seq in 2...20 where !recorder.records.contains(where: { $0.event.kind == .problem }) {
                await honest.post("\"\(String(repeating: "x", count: 900 << 10))\"", seq: seq, to: "echo", id: "\(seq)")
                _ = try await honest.next("id", "\(seq)")
            }
            #expect(await hostile.closeCode() == 1013)
            #expect(
                try await recorder.problem("memoryUsedUp").hint?.contains("Configuration.limits.memoryBytes") == true)
            let (_, result) = try await PageClient.attach(
                port: address.port, document: "d-1", webView: "hostile", resume: true)
            #expect(result["resumed"]?.bool == true)
        }
    }

    @Test func countsBodies() async throws {
        try await withServer {
            $0.limits.memoryBytes = 1 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            let body =
                "POST /beacon HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 1000000\r\n\r\n"
            let request = Array(body.utf8) + Self.half
            async let first = HTTPClient.exchange(request, port: address.port)
            async let second = HTTPClient.exchange(request, port: address.port)
            _ = try await recorder.problem("memoryUsedUp")
            // The other one is too slow.
            let answers = try await [first, second].sorted()
            #expect(answers[0] == "" && answers[1].hasPrefix("HTTP/1.1 408 ") || answers == ["", ""])
        }
    }

    @Test func countsWhatWaitsForAPreviousDocument() async throws {
        try await withServer {
            $0.limits.memoryBytes = 4 << 20
            $0.limits.beaconTimeout = .seconds(600)
        } _: { server, address in
            let recorder = Recorder(server)
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            let small = try await PageClient(port: address.port)
            await small.sendAttach(document: "d-2", webView: "small", previous: ("d-1", 1))
            await small.post("1", seq: 1)
            let large = try await PageClient(port: address.port)
            await large.sendAttach(document: "d-4", previous: ("d-3", 1))
            // An empty array takes more than 100 bytes.
            await large.post("[\(Array(repeating: "[]", count: 50_000).joined(separator: ","))]", seq: 1)
            _ = try await large.next("method", "page.ack")
            _ = try await recorder.problem("heldBackTooMuch")
            // The other page's message still waits.
            let handled = recorder.records.filter { if case .message = $0.event { true } else { false } }
            #expect(handled.map(\.webView) == ["main"])
        }
    }

    @Test func countsWhatWaitsForReaders() async throws {
        try await withServer {
            $0.limits.memoryBytes = 4 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            var sockets: [WebSocketClient] = []
            for number in 1...4 {
                let socket = try await WebSocketClient.connect(port: address.port, receiveBuffer: 4_096)
                socket.send(PageClient.attach(document: "d-\(number)", webView: "w\(number)"))
                sockets.append(socket)
                socket.stopReading()
            }
            for number in 1...4 {
                _ = try await recorder.first {
                    if case .page(.attached) = $0.event { $0.webView == "w\(number)" } else { false }
                }
            }
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let text = "\"\(String(repeating: "x", count: 900 << 10))\""
            var isExceeded: Bool {
                recorder.records.contains {
                    guard case .problem(_, let text, _, _, _) = $0.event else { return false }
                    return text.hasPrefix("All connections together")
                }
            }
            for seq in 1...50 where !isExceeded {
                for socket in sockets { socket.send(PageClient.post(text, seq: seq, to: "echo", id: "\(seq)")) }
                let count = 4 * seq
                _ = try await recorder.first { _ in
                    isExceeded || recorder.records.count { $0.event.kind == .reply } >= count
                }
            }
            #expect(isExceeded)
            for socket in sockets { socket.readOn() }
        }
    }

    /// jansson's tree of a message such as `[{},{}]` takes ninety times its memory.
    @Test func refusesMessageWithTooManyValues() async throws {
        try await withServer {
            $0.limits.values = 1_000
        } _: { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let (page, _) = try await PageClient.attach(port: address.port)
            func numbers(_ count: Int) -> String { "[\((0..<count).map { _ in "1" }.joined(separator: ","))]" }
            await page.post(numbers(2_000), seq: 1, to: "echo", id: "r")
            let error = try await page.nextError()
            #expect(error["code"]?.number == -32700)
            #expect(error["message"]?.string?.contains("1000") == true)
            #expect(error["message"]?.string?.contains("Configuration.limits.values") == true)
            let text = String(repeating: "[,{", count: 1_000)
            for (index, body) in [numbers(900), "\"\(text)\""].enumerated() {
                await page.post(body, seq: index + 1, to: "echo", id: "r\(index)")
                #expect(try await page.next("id", "r\(index)")["result"] != nil)
            }
            let beacon = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"],
                body: numbers(2_000))
            #expect(beacon.status == 400 && beacon.body.contains("Configuration.limits.values"))
            let call = try await ControlClient(address).post(numbers(2_000))
            #expect(call.status == 400 && call.body.contains("Configuration.limits.values"))
        }
    }

    @Test func givesBackWhatItCounted() async throws {
        let memory = MemoryBudget(limit: 100)
        #expect(!memory.add(100) && memory.add(1) && !memory.add(1))
        memory.relieved()
        #expect(memory.add(1) && !memory.add(-103) && memory.bytes == 0)
    }
}
