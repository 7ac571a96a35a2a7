import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// `bridged serve --app`: an app without the script tag in a browser that nobody drives.
@MainActor @Suite(.timeLimit(.minutes(2)), .browserTurns) struct ServedAppTests {
    @Test(arguments: Browser.Engine.allCases)
    func unchangedApp_postsMessages_andGetsAnswers(_ engine: Browser.Engine) async throws {
        try requireInstalled(engine)
        let app = try await StaticApp(
            """
            <!doctype html><html lang="en"><head><title>Unchanged</title><script>
            const post = (body) => webkit.messageHandlers.nativeApp.postMessage(body)
            window.bridge = { register: (token) => { post({name: "ActionButton", path: "/" + token, icon: "bell"}) } }
            post({name: "RegisterPushToken"})
            </script></head><body>An app of its own</body></html>
            """)
        let daemon = try RunningDaemon(
            "--port", "0", "--json", "--push-token", "a-token", "--app", app.url, "--app-port", "0")
        var lines = daemon.lines.makeAsyncIterator()
        let listening = try JSON.parse(try #require(await lines.next()))
        let browser = try launch(engine, try #require(listening["app"]?.string) + "/")
        defer { browser.close() }
        var isAnswered = false
        while !isAnswered, let line = await lines.next() {
            let record = try JSON.parse(line)
            #expect(record["kind"]?.string != "problem", "\(line)")
            isAnswered = record["name"]?.string == "ActionButton" && record["body"]?["path"]?.string == "/a-token"
        }
        #expect(isAnswered)
    }
}
