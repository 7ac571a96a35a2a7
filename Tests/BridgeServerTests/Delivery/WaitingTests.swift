import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Messages and evaluations that wait for a page.
@MainActor @Suite(.timeLimit(.minutes(4))) struct WaitingTests {
    /// Native code may request far more evaluations at once than may wait for a connection. The page must not count as one
    /// that does not read.
    @Test func sendsManyEvaluationsInPortions() async throws {
        try await withServer {
            $0.limits.waitingMessages = 100
        } _: { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            let count = 300
            var values: [Double?] = []
            let (ends, end) = AsyncStream<Void>.makeStream()
            for number in 1...count {
                server.pages[0].evaluate("\(number)", timeout: .seconds(200)) { result in
                    values.append(try? result.get().number)
                    if values.count == count { end.yield() }
                }
            }
            for _ in 1...count { try await answerNext(page) }
            var iterator = ends.makeAsyncIterator()
            await iterator.next()
            #expect(values == (1...count).map(Double.init))
            #expect(!recorder.records.contains { $0.event.kind == .problem })
        }
    }

    @Test func refusesEvaluations_whileTooManyWait() async throws {
        try await withServer {
            $0.limits.waitingEvaluations = 10
        } _: { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            for _ in 1...10 { server.pages[0].evaluate("1", completion: nil) }
            let error = await #expect(throws: ScriptError.self) { try await server.pages[0].evaluate("2") }
            #expect(error == .queueFull(10) && error?.rpcError.code.rawValue == -32006)
            _ = try await recorder.problem("queueFull")
            try await answerNext(page)
            _ = try await recorder.first { $0.event.kind == .result }
            let accepted = Task { try await server.pages[0].evaluate("3") }
            for _ in 1...10 { try await answerNext(page) }
            #expect(try await accepted.value.number == 3)
        }
    }

    /// A batch is refused, message by message, in one turn of the loop. Its page reads what it gets, and loses nothing.
    @Test(arguments: [1, 5])
    func refusesAsManyMessagesAsABatchHas_withoutClosing(batches: Int) async throws {
        try await withServer { _, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            let size = 1_024
            for batch in 0..<batches {
                let posts = (1...size).map { PageClient.post("0", seq: batch * size + $0, to: "nobody") }
                page.send("[\(posts.joined(separator: ","))]")
            }
            for _ in 1...batches * size { #expect(try await page.nextError()["code"]?.number == -32001) }
            while try await page.next("method", "page.ack")["params"]?["seq"]?.wholeNumber != batches * size {}
        }
    }

    /// Each answer is small, but there are more of them than may wait.
    @Test func closesPageThatLeavesManyMessagesUnread() async throws {
        try await withServer {
            $0.limits.waitingMessages = 10
            $0.limits.pongTimeout = .milliseconds(800)
        } _: { server, address in
            var refused = 0
            var isSlow = false
            server.traffic.observe { record in
                if record.event.kind == .message { refused += 1 }
                if case .problem("slowReader", _, _, _, _) = record.event { isSlow = true }
            }
            let recorder = Recorder(server)
            let socket = try await WebSocketClient.connect(port: address.port, receiveBuffer: 4_096)
            let page = PageClient(socket)
            await page.sendAttach(document: "d-1")
            _ = try await page.next("id", "attach")
            socket.stopReading()
            // It sends until the kernel takes no more answers. Each answer names the handler.
            let handler = String(repeating: "n", count: 250)
            for seq in stride(from: 0, to: 40_000, by: 250) where !isSlow {
                let posts = (1...250).map { PageClient.post("0", seq: seq + $0, to: handler) }
                page.send("[\(posts.joined(separator: ","))]")
                _ = try await recorder.first { _ in isSlow || refused >= seq + 250 }
            }
            #expect(try await recorder.problem("slowReader").text.contains("10 messages"))
        }
    }

    /// A page that does not read is closed with 1013 and resumes. Other pages are not affected.
    @Test func closesPageThatDoesNotRead_whichResumes() async throws {
        try await withServer {
            $0.limits.waitingBytes = 1 << 20
        } _: { server, address in
            let recorder = Recorder(server)
            var numbers: [Double?] = []
            let filler = String(repeating: "x", count: 100_000)
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            server.addHandler(
                "count",
                .replying { body, _, reply in
                    numbers.append(body.json.number)
                    reply.resolve((try? ScriptValue(encoding: filler)) ?? .null)
                })
            let (other, _) = try await PageClient.attach(port: address.port, document: "d-2", webView: "modal")
            let socket = try await WebSocketClient.connect(port: address.port, receiveBuffer: 65_536)
            let slow = PageClient(socket)
            await slow.sendAttach(document: "d-1")
            _ = try await slow.next("id", "attach")
            socket.stopReading()
            var number = 0
            // Stop here: a client that goes on sending on a closed connection may never read why it was closed.
            while !recorder.records.contains(where: { $0.event.kind == .problem }) {
                number += 1
                await slow.post("\(number)", seq: number, to: "count", id: "\(number)")
                await other.post("\(number)", seq: number, to: "echo", id: "\(number)")
                #expect(try await other.next("id", "\(number)")["result"]?["value"]?.number == Double(number))
            }
            #expect(try await recorder.problem("slowReader").text.contains("1013"))
            socket.readOn()
            #expect(await slow.closeCode() == 1013)
            let (again, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == true)
            let last = number + 1
            for number in 1...last { await again.post("\(number)", seq: number, to: "count", id: "\(number)") }
            _ = try await again.next("id", "\(last)")
            #expect(numbers == (1...last).map(Double.init))
            await other.post("null", seq: last, to: "echo", id: "\(last)")
            _ = try await other.next("id", "\(last)")
        }
    }

    /// Answers the next evaluation, whose source is a number, with this number.
    private func answerNext(_ page: PageClient) async throws {
        answer(try await page.next("method", "script.evaluate"), of: page)
    }

    private func answer(_ request: JSON, of page: PageClient) {
        let id = request["id"]?.description ?? "null"
        let number = request["params"]?["source"]?.string?.drop { $0 == " " } ?? "null"
        page.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"value":\#(number)}}"#)
    }
}
