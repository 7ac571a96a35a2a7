import BridgeProtocol
import BridgeServer

/// A page that goes on talking to a handler while somebody else misbehaves, and sees whether it is served all the while.
public actor Bystander {
    private let page: PageClient
    private var isDone = false
    private var answers = 0

    /// Runs `body` while another page posts one message after the other to the handler `echo`, which must be there.
    ///
    /// - Returns: how many it got answered, at least one of them after `body` was done.
    /// - Throws: what `body` throws, or `PageClient.Interrupted` where the page was not served.
    @MainActor public static func watching(
        _ port: UInt16, _ body: @MainActor () async throws -> Void
    ) async throws -> Int {
        let (page, _) = try await PageClient.attach(port: port, document: "bystander", webView: "bystander")
        let bystander = Bystander(page: page)
        async let answered = bystander.talk()
        do { try await body() } catch {
            await bystander.finish()
            throw error
        }
        await bystander.finish()
        return try await answered
    }

    private init(page: PageClient) { self.page = page }

    private func finish() { isDone = true }

    private func talk() async throws -> Int {
        var isLast = false
        while !isLast {
            isLast = isDone
            answers += 1
            await page.post("\(answers)", seq: answers, to: "echo", id: "b\(answers)")
            _ = try await page.next("id", "b\(answers)")
        }
        return answers
    }
}
