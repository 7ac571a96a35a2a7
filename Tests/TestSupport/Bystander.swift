import BridgeProtocol
import BridgeServer

/// A well-behaved page that keeps posting while another client misbehaves, and checks that the daemon still serves it.
public actor Bystander {
    private let page: PageClient
    private var isDone = false
    private var answers = 0

    /// Runs `body` while another page posts one message after the other to the handler `echo`, which must be
    /// registered.
    ///
    /// - Returns: how many messages were answered. At least one of them was posted after `body` had ended.
    /// - Throws: the error of `body`, or `PageClient.Interrupted` if the daemon did not serve the page.
    @MainActor public static func watching(
        _ port: UInt16, _ body: @MainActor () async throws -> Void
    ) async throws -> Int {
        let (page, _) = try await PageClient.attach(port: port, document: "bystander", webView: "bystander")
        let bystander = Bystander(page: page)
        async let answered = bystander.postUntilFinished()
        do { try await body() } catch {
            await bystander.finish()
            throw error
        }
        await bystander.finish()
        return try await answered
    }

    private init(page: PageClient) { self.page = page }

    private func finish() { isDone = true }

    private func postUntilFinished() async throws -> Int {
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
