import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Every message that a page posts ends with exactly one verdict.
@MainActor @Suite(.timeLimit(.minutes(4))) struct VerdictTests {
    private func reply(_ recorder: Recorder) async throws -> Verdict? {
        guard case .reply(_, _, _, _, let verdict) = try await recorder.first(where: { $0.event.kind == .reply }).event
        else {
            return nil
        }
        return verdict
    }

    @Test func namesRejection_whenHandlerRejects() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("fail", .replying { _, _, reply in reply.reject("not today") })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "fail", id: "a")
            let verdict = try #require(await reply(recorder))
            #expect(
                verdict.description == "rejected: rejectedByHandler: expected a value, found the rejection not today")
        }
    }

    @Test func rejects_whenHandlerReleasesReply() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("forget", .replying { _, _, _ in })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "forget", id: "a")
            let verdict = try #require(await reply(recorder))
            #expect(verdict.outcome == .rejected && verdict.reason == .noReply && verdict.hint != nil)
            #expect(try await recorder.problem("noReply").text.contains("forget"))
            #expect(try await page.next("id", "a")["error"]?["message"]?.string?.contains("did not respond") == true)
        }
    }

    /// A message of a type that replies is recorded before it is decoded. The verdict on it comes with the reply.
    @Test func droppedMessageOfAReplyingType_isAProblem() async throws {
        struct Question: ScriptMessage {
            static let name = "Question"
            let text: String
        }
        try await withServer { server, address in
            let recorder = Recorder(server)
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.reply(to: Question.self) { question, _ in question.text }
            server.addHandler("ask", .dispatcher(dispatcher))
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"name":"Question","text":3}"#, seq: 1, to: "ask", id: "a")
            let verdict = try #require(await reply(recorder))
            #expect(verdict.outcome == .dropped && verdict.reason == .undecodable)
            let problem = try await recorder.problem("undecodable")
            #expect(problem.text.contains("A message to ask was dropped: undecodable at /text"), "\(problem)")
        }
    }

    @Test func timesOut_whenHandlerTakesTooLong() async throws {
        try await withServer {
            $0.limits.replyTimeout = .milliseconds(20)
        } _: { server, address in
            let recorder = Recorder(server)
            var held: Reply?
            server.addHandler("slow", .replying { _, _, reply in held = reply })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "slow", id: "a")
            let verdict = try #require(await reply(recorder))
            #expect(verdict.outcome == .timedOut && verdict.reason == .replyTimedOut)
            #expect(
                try await page.next("id", "a")["error"]?["message"]?.string == "The handler did not reply within 20 ms")
            held?.resolve(.null)
            #expect(recorder.records.count { $0.event.kind == .reply } == 1, "a late reply changes nothing")
        }
    }

    @Test func endsMessage_whenPageIsGone() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var held: Reply?
            server.addHandler("later", .replying { _, _, reply in held = reply })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "later", id: "a")
            _ = try await recorder.first { $0.event.kind == .message }
            page.drop()
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            _ = try await PageClient.attach(port: address.port, document: "next")
            let verdict = try #require(await reply(recorder))
            #expect(verdict.outcome == .pageGone && verdict.found == "p1 is gone")
            held?.resolve(.null)
            #expect(recorder.records.count { $0.event.kind == .reply } == 1)
        }
    }

    @Test func endsMessage_whenDaemonStops() async throws {
        let recorder = try await withServer { server, address in
            let recorder = Recorder(server)
            var held: [Reply] = []
            server.addHandler("later", .replying { _, _, reply in held.append(reply) })
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("0", seq: 1, to: "later", id: "a")
            _ = try await recorder.first { $0.event.kind == .message }
            await server.stop()
            withExtendedLifetime(held) {}
            return recorder
        }
        #expect(try await reply(recorder)?.reason == .daemonStopped)
    }

    @Test func asksForAHandler_whenNoneIsRegistered() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1, to: "log")
            let record = try await recorder.first { $0.event.kind == .message }
            guard case .message(_, _, _, _, let verdict) = record.event else { return }
            #expect(verdict.reason == .noHandler && verdict.found == "log" && verdict.at == "/handler")
        }
    }

    @Test func dropsMalformedMessage() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1, types: "{\"/nowhere\":\"date\"}")
            let record = try await recorder.first { $0.event.kind == .message }
            #expect(record.facets.reason == "malformed" && record.facets.handler == "nativeApp")
        }
    }

    @Test func givesEachMessageOneFinalVerdict() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            var held: [Reply] = []
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            server.addHandler("fail", .replying { _, _, reply in reply.reject("no") })
            server.addHandler("forget", .replying { _, _, _ in })
            server.addHandler("later", .replying { _, _, reply in held.append(reply) })
            let (page, _) = try await PageClient.attach(port: address.port)
            let handlers = ["nativeApp", "echo", "fail", "forget", "later", "nobody"]
            for (index, handler) in handlers.enumerated() {
                await page.post("0", seq: index + 1, to: handler, id: handler)
            }
            _ = try await page.next("id", "nobody")
            for reply in held { reply.resolve(.null) }
            _ = try await page.next("id", "later")
            var finals: [Int: [Verdict.Outcome]] = [:]
            for record in recorder.records {
                switch record.event {
                case .message(_, _, _, let seq, let verdict), .reply(_, let seq, _, _, let verdict):
                    if verdict.outcome != .awaitingReply { finals[seq, default: []].append(verdict.outcome) }
                default: break
                }
            }
            #expect(
                finals == [1: [.handled], 2: [.replied], 3: [.rejected], 4: [.rejected], 5: [.replied], 6: [.dropped]])
        }
    }
}
