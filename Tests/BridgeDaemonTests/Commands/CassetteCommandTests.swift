import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged cassette record`, `stub --from` and the settings of a cassette, with the real executable.
@Suite(.timeLimit(.minutes(4))) struct CassetteCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        return folder.path(name)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    /// A page of a phone, which takes a picture and gets a token.
    private static let log = """
        {"record":1,"time":"2026-11-29T10:00:00.000000Z","page":"p1","webView":"device","url":"http://a.test/","device":true,"model":"iPhone","system":"iOS 18.5","direction":"toNative","kind":"page","event":"attached"}
        {"record":2,"time":"2026-11-29T10:00:01.000000Z","page":"p1","webView":"device","url":"http://a.test/","direction":"toNative","kind":"message","handler":"camera","name":"take","body":{"name":"take"},"seq":1,"verdict":{"outcome":"observed"}}
        {"record":3,"time":"2026-11-29T10:00:01.000000Z","page":"p1","webView":"device","url":"http://a.test/","direction":"toNative","kind":"message","handler":"nativeApp","name":"RegisterPushToken","body":{"name":"RegisterPushToken"},"seq":2,"verdict":{"outcome":"observed"}}
        {"record":4,"time":"2026-11-29T10:00:01.004000Z","page":"p1","webView":"device","url":"http://a.test/","direction":"toWeb","kind":"evaluate","id":3,"source":"window.bridge.register(\\"c0ffee\\")"}
        {"record":5,"time":"2026-11-29T10:00:02.000000Z","page":"p1","webView":"device","url":"http://a.test/","direction":"toWeb","kind":"reply","handler":"camera","seq":1,"value":{"photo":"cat.jpg"},"durationMs":1003.2,"verdict":{"outcome":"replied"}}

        """

    private static let entries = """
        entries:
          - handler: camera
            body: {name: take}
            reply: {value: {photo: cat.jpg}}
            delay: 1003ms
          - handler: nativeApp
            body: {name: RegisterPushToken}
            calls: [{call: window.bridge.register, with: [c0ffee], delay: 4ms}]

        """

    @Test func recordsALog() async throws {
        let log = try write(Self.log, "traffic.ndjson")
        let file = folder.path("phone.yml")
        let outcome = try await Executable.run(["cassette", "record", file, "--from", log])
        #expect(outcome.status == 0 && outcome.output == "\(file): 2 entries\n", "\(outcome)")
        let text = try text("phone.yml")
        #expect(text.hasPrefix("cassette: 1\nrecorded: 20"))
        #expect(text.hasSuffix("\nexpires: 90d\ndevice: {model: iPhone, system: iOS 18.5}\n\(Self.entries)"), "\(text)")
        let again = try await Executable.run(["cassette", "record", file, "--from", log])
        #expect(again.status == 64 && again.errors.contains("exists. Add what it lacks with --append"))
        let astray = try await Executable.run(["cassette", "record", folder.path("none/phone.yml"), "--from", log])
        #expect(
            astray.status == 64 && astray.errors.contains("there is no folder \(folder.path("none")). Make it first."))
    }

    @Test func addsWhatAFileLacks() async throws {
        let log = try write(Self.log, "traffic.ndjson")
        let own =
            "# by hand\nentries:\n  - handler: camera\n    match: {name: take}   # all of them\n    reply: {value: 1}\n"
        let file = try write(own, "phone.yml")
        for count in [1, 0] {
            let outcome = try await Executable.run(["cassette", "record", file, "--append", "--from", log])
            #expect(outcome.status == 0 && outcome.output == "\(file): \(count) new entries\n", "\(outcome)")
            #expect(try text("phone.yml").hasPrefix(own))
            #expect(
                try text("phone.yml").hasSuffix(
                    "  - handler: nativeApp\n    body: {name: RegisterPushToken}\n    calls: [{call: window.bridge.register, with: [c0ffee], delay: 4ms}]\n"
                ))
        }
        let flow = try write("entries: [{handler: camera}]\norder: any\n", "flow.yml")
        let refused = try await Executable.run(["cassette", "record", flow, "--append", "--from", log])
        #expect(refused.status == 64 && refused.errors.contains("Make entries the last key"), "\(refused)")
    }

    @Test func saysThatARecordingIsFull() async throws {
        let lines = Self.log.split(separator: "\n")
        let long = [lines[0]] + Array(repeating: lines[1], count: 20_000) + lines[2...]
        let log = try write(long.joined(separator: "\n"), "traffic.ndjson")
        let outcome = try await Executable.run(["cassette", "record", folder.path("phone.yml"), "--from", log])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(
            outcome.errors.contains("is written, and this recording is full: it has at most 20000 messages"),
            "\(outcome.errors)")
        #expect(try !text("phone.yml").contains("RegisterPushToken"))
    }

    @Test func refusesALogWithoutARealApp() async throws {
        let log = try write(Self.log.replacing("observed", with: "handled"), "traffic.ndjson")
        let outcome = try await Executable.run(["cassette", "record", folder.path("phone.yml"), "--from", log])
        #expect(outcome.status == 1 && outcome.errors.contains("has no messages of pages in an app of their own"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("phone.yml")))
    }

    /// Starts to record what a daemon in this process gets.
    private func record(_ file: String, from url: String) throws -> RunningDaemon {
        try RunningDaemon(["record", file, "--url", url], command: "cassette", by: #"exec "$@" 2>&1"#)
    }

    private static func post(_ seq: Int, _ name: String) -> String {
        let event = ObservedEntry.Event.message(
            handler: "camera", name: nil, body: ScriptValue(["name": .string(name)]))
        return PageClient.text(ObservedEntries([ObservedEntry(seq: seq, event)]))
    }

    @MainActor @Test func recordsUntilCtrlC() async throws {
        let file = folder.path("phone.yml")
        try await withServer { _, address in
            let recording = try record(file, from: address.url)
            var lines = recording.lines.makeAsyncIterator()
            #expect(await lines.next() == "Recording. Use the app; Ctrl-C ends.")
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            page.send(Self.post(1, "take"))
            #expect(await lines.next() == "\(file): 1 entries")
            // Somebody edits the file while it is recorded, and saves it twice.
            let edited = try text("phone.yml").replacing("{name: take}", with: "{name: take} # edited")
            _ = try write(edited + "  - [", "phone.yml")
            page.send(Self.post(2, "flash"))
            #expect(await lines.next()?.contains("the recording goes on") == true)
            _ = try write(edited, "phone.yml")
            page.send(Self.post(3, "zoom"))
            #expect(await lines.next() == "\(file): 3 entries")
            recording.signal(SIGINT)
            #expect(try await recording.exitStatus() == 0)
            let added = ["flash", "zoom"].map { "  - handler: camera\n    body: {name: \($0)}\n" }
            #expect(try text("phone.yml") == edited + added.joined())
        }
    }

    @MainActor @Test func saysThatNothingWasRecorded() async throws {
        let file = folder.path("phone.yml")
        try await withServer { _, address in
            let recording = try record(file, from: address.url)
            var lines = recording.lines.makeAsyncIterator()
            #expect(await lines.next() == "Recording. Use the app; Ctrl-C ends.")
            _ = try await PageClient.attach(port: address.port)
            #expect(
                await lines.next()?.hasPrefix("warning: p1 at http://localhost:3000/ is not in a real app: ") == true)
            recording.signal(SIGINT)
            #expect(
                await lines.next()?.hasPrefix(
                    "error: No page in an app of its own has posted a message, so \(file) is not written.") == true)
            #expect(try await recording.exitStatus() == 1)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    /// Nobody writes to the pipe, so a read would wait for ever.
    @Test func refusesAPipe() async throws {
        let pipe = folder.path("phone.yml")
        #expect(mkfifo(pipe, 0o600) == 0)
        let log = try write(Self.log, "traffic.ndjson")
        let outcome = try await Executable.run(["cassette", "record", pipe, "--append", "--from", log])
        #expect(outcome.errors.contains("phone.yml: Can't be read: it is no regular file."), "\(outcome)")
        #expect(outcome.status == 66)
    }

    @Test func aLinkStaysALink() async throws {
        let target = try write("# shared\nentries: []\n", "shared.yml")
        let link = folder.path("phone.yml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let log = try write(Self.log, "traffic.ndjson")
        let outcome = try await Executable.run(["cassette", "record", link, "--append", "--from", log])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try text("shared.yml").contains("handler: camera"))
    }

    /// A cassette that becomes a pipe while the daemon records into it keeps nobody waiting.
    @MainActor @Test func servesOn_ifTheCassetteBecomesAPipe() async throws {
        let file = try write("entries: []\n", "phone.yml")
        let daemon = try RunningDaemon(
            ["--port", "0", "--json", "--cassette", file, "--cassette-mode", "new_episodes"])
        let port = try await daemon.listening().port
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        let (page, _) = try await PageClient.attachDevice(port: port)
        page.send(Self.post(1, "take"))
        var problem: String?
        for await line in daemon.lines where line.contains("cassetteFailed") {
            problem = line
            break
        }
        #expect(problem?.contains("it is no regular file") == true, "\(problem ?? "")")
        daemon.signal(SIGTERM)
        #expect(try await daemon.exitStatus() == 0)
    }

    @Test func printsStubs() async throws {
        let file = try write("cassette: 1\n\(Self.entries)", "phone.yml")
        let outcome = try await Executable.run(["stub", "camera", "--from", file])
        #expect(
            outcome.output == """
                stubs:
                  - handler: camera
                    match: {name: take}
                    reply: {value: {photo: cat.jpg}}
                    delay: 1003ms

                """)
        let unknown = try await Executable.run(["stub", "form", "--from", file])
        #expect(unknown.status == 3 && unknown.errors.contains("It has: camera, nativeApp."))
        let both = try await Executable.run(["stub", "camera", "--from", file, "--echo"])
        #expect(both.status == 64 && both.errors.contains("--from prints what was recorded"))
    }

    @Test func testsRecordNothing() async throws {
        let flow = try write("[{wait: 1ms}]", "flow.yml")
        let file = folder.path("phone.yml")
        let once = try await Executable.run(["test", flow, "--cassette", file, "--cassette-mode", "once"])
        #expect(once.status == 64 && once.errors.contains("There is no \(file). Flows have no real app to record."))
        let new = try await Executable.run(["test", flow, "--cassette", file, "--cassette-mode", "new_episodes"])
        #expect(new.status == 64 && new.errors.contains("--cassette-mode new_episodes is for bridged serve."))
        let none = try await Executable.run(["test", flow, "--cassette", file])
        #expect(none.status == 66 && none.errors.contains("phone.yml"))
        let alone = try await Executable.run(["test", flow, "--cassette-mode", "once"])
        #expect(alone.status == 64 && alone.errors.contains("cassette-mode needs cassette as well"))
    }

    @Test func warnsOfAnOldCassette() async throws {
        let file = try write("recorded: 2020-01-01\nexpires: 30d\nentries: []\n", "phone.yml")
        let flow = try write("[{wait: 1ms}]", "flow.yml")
        let outcome = try await Executable.run(["test", flow, "--cassette", file])
        #expect(outcome.errors.hasPrefix("warning: \(file) was recorded "), "\(outcome)")
        #expect(outcome.errors.contains("days ago, on 2020-01-01, and expires after 30d."))
        #expect(outcome.status == 0, "\(outcome)")
    }
}
