import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// Settings in `bridged.yml`, the environment and flags: their order, their effects, and the messages for mistakes.
@Suite(.timeLimit(.minutes(4))) struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String) throws -> String {
        let path = folder.path("bridged.yml")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func serve(_ text: String, _ arguments: [String] = []) async throws -> Executable.Outcome {
        try await Executable.run(["serve", "--config", file(text)] + arguments)
    }

    static let mistakes: [(text: String, message: String)] = [
        ("prot: 3000", "bridged.yml:1:1: There is no key \"prot\" here. Did you mean \"port\"?"),
        ("port: high", "bridged.yml:1:7: Expected a number from 0 to 65535 for port, found \"high\"."),
        (
            "max-nesting: 5000",
            "bridged.yml:1:14: Expected a number from 8 to 2048 for max-nesting, found \"5000\"."
        ),
        (
            "max-header-bytes: 1MiB",
            "bridged.yml:1:19: Expected a size such as 500KiB or 16MiB, from 1024 to 65535 bytes "
                + "for max-header-bytes, found \"1MiB\"."
        ),
        (
            "tab: [Home=/, Posts]",
            "bridged.yml:1:15: Expected a title and a path, such as Posts=/posts for tab, found \"Posts\"."
        ),
        (
            "component: [form, mnu]",
            "bridged.yml:1:19: Expected one of alert, "
                + "barcode-scanner, biometrics-lock, button, dev-tools, document-scanner, form, haptic, location, menu, "
                + "nfc, notification-token, overflow-menu, permissions, review-prompt, search, share, theme, toast, none "
                + "for component, found \"mnu\"."
        ),
        (
            "component: [scaner]\ncomponents: {scanner: {scan: {}}}",
            "bridged.yml:1:13: Expected one of alert, "
                + "barcode-scanner, biometrics-lock, button, dev-tools, document-scanner, form, haptic, location, menu, "
                + "nfc, notification-token, overflow-menu, permissions, review-prompt, search, share, theme, toast, "
                + "scanner, none for component, found \"scaner\"."
        ),
        (
            "route-decision-handler: [app-navigation, safri]",
            "bridged.yml:1:42: Expected one of app-navigation, safari, browser-tab, system-navigation, or one with a host "
                + "as in safari=HOST for route-decision-handler, found \"safri\"."
        ),
        (
            "components:\n  scanner:\n    scan: {repyl: {}}",
            "bridged.yml:3:19: There is no key \"repyl\" here. Did you mean \"reply\"?"
        ),
        (
            "json-decoder: snake_case",
            "bridged.yml:1:15: Expected useDefaultKeys or convertFromSnakeCase for json-decoder, found \"snake_case\"."
        ),
        (
            "turbo-adapter: nowhere.js",
            "bridged.yml:1:16: Expected the path of a readable script file for turbo-adapter, found \"nowhere.js\"."
        ),
        (
            "tls-cert: cert.pem",
            "bridged.yml:1:11: tls-cert needs tls-key as well: give a certificate and its private key."
        ),
        ("\nport: [1]", "bridged.yml:2:7: Expected a text, found a list."),
        (
            "a: b: c",
            "bridged.yml:1:5: Not valid YAML: a second \": \" is in this value, or the line is indented more than the one "
                + "above. A text with \": \" needs quotation marks."
        ),
        (
            "stubs:\n  - handler: a\n    repyl: {echo: true}",
            "bridged.yml:3:5: There is no key \"repyl\" here. Did you mean \"reply\"?"
        ),
        (
            "stubs:\n  - handler: #save\n    reply: {echo: true}",
            "bridged.yml:2:13: Expected a text, found nothing. A # begins a comment: quote a text with one."
        ),
        (
            "stubs:\n  - handler: a",
            "bridged.yml:2:5: A stub needs a reply: {value: …}, {error: text}, {echo: true} or {none: true}; found a "
                + "mapping with handler."
        ),
        (
            "stubs:\n  - {handler: a, reply: {echo: true}, delay: soon}",
            "bridged.yml:2:46: Expected a time such as 300ms, 5s or 2m, found \"soon\"."
        ),
        (
            "messages:\n  A:\n    schema:\n      properties:\n        b: {tpye: string}",
            "bridged.yml:5:19: In the schema: The keyword \"tpye\" is not supported. Did you mean type? (at /properties/b/tpye)"
        ),
        ("phone: {location: {latitude: 1}}", "bridged.yml:1:19: A place needs a latitude and a longitude, in degrees."),
        (
            "phone: {location: {latitude: 91, longitude: 2}}",
            "bridged.yml:1:30: Expected a latitude from -90 to 90; found \"91\"."
        ),
        ("phone: {biometry: nose}", "bridged.yml:1:19: Expected faceID or touchID; found \"nose\"."),
        ("phone: {biometry: {answer: Match}}", "bridged.yml:1:19: Say who is enrolled: type: faceID, or touchID."),
        (
            "messages:\n  A: {reply: {value: 1}}",
            "bridged.yml:2:3: nativeApp does not reply, so A cannot have a reply. Call a function of the "
                + "page instead (reply: {call: …}), or give the message another handler."
        ),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_withTheirPlace(mistake: (text: String, message: String)) async throws {
        let outcome = try await serve(mistake.text)
        let errors = outcome.errors.replacing(folder.path("bridged.yml"), with: "bridged.yml")
        // The usage does not help with a mistake in the file.
        #expect(errors == "error: \(mistake.message)\n")
        #expect(outcome.status == 64)
    }

    @Test(arguments: [["serve"], ["test", "flow.yml"]])
    func pathConfigurationThatCannotBeReadStopsTheStart(command: [String]) async throws {
        let (missing, broken) = (folder.path("missing.json"), folder.path("broken.json"))
        try Data(#"{"rules":["#.utf8).write(to: URL(fileURLWithPath: broken))
        for (file, reason) in [(missing, "Can't read \(missing): No such file"), (broken, "\(broken), line 1, ")] {
            let outcome = try await Executable.run(command + ["--path-configuration", file])
            #expect(
                outcome.status == 64 && outcome.errors.hasPrefix("error: path-configuration: \(reason)")
                    && !outcome.errors.contains("Usage"),
                "\(outcome.errors)")
        }
    }

    /// `AppHost.preparePhone` reads the value, and has a test of its own.
    @Test(arguments: [
        ("{biometry: touchID}", #"{"biometry":"touchID"}"#),
        (
            "{location: {latitude: 48.85, longitude: 2.35}, biometry: {type: faceID, answer: No match}}",
            #"{"latitude":48.85,"longitude":2.35,"biometry":"faceID","answer":"No match"}"#
        ),
    ])
    func phoneBecomesTheEnvironmentOfAnApp(_ phone: String, _ value: String) throws {
        #expect(try ConfigurationFile.find(file("phone: \(phone)"))?.phone?.environmentValue == value)
    }

    @Test func reportsMissingFile() async throws {
        let outcome = try await Executable.run(["serve", "--config", folder.path("nowhere.yml")])
        #expect(outcome.errors.contains("nowhere.yml: Can't be read: No such file or directory."))
        #expect(outcome.status == 66)
    }

    @Test func flagsOverrideEnvironment_whichOverridesFile() async throws {
        let path = try file("port: high\npush-token: of-the-file\nroot-url: http://file.test\nkeep: 5 days")
        let environment = ["BRIDGED_PORT": "higher", "BRIDGED_KEEP": "7d", "BRIDGED_CONFIG": path]
        let first = try await Executable.run(["serve"], environment: environment)
        #expect(first.errors.contains("'higher' is not valid for the environment variable BRIDGED_PORT."))
        let second = try await Executable.run(
            ["serve", "--port", "0", "--reply-timeout", "x"], environment: environment)
        #expect(second.errors.contains("'x' is not valid for --reply-timeout. Give a time such as 500ms, 5s or 2m."))
    }

    @Test func readsLimits_fromFlagsAndFile() async throws {
        let text = "port: 0\njson: true\nmax-nesting: 100\nmax-message-bytes: 500KiB"
        let daemon = try RunningDaemon(
            "--config", try file(text), "--max-connections", "7", "--handshake-timeout", "2s")
        let listening = try await daemon.listening()
        let client = try ControlClient(port: listening.port, discoveryFile: listening.discoveryFile)
        let limits = try #require(try await client.call("daemon.info")["limits"])
        let expected = [
            "nesting": 100, "messageBytes": 512_000, "connections": 7, "connectionsPerAddress": 7,
            "handshakeTimeoutMs": 2_000,
        ]
        for (name, value) in expected { #expect(limits[name]?.number == Double(value), "\(name)") }
    }

    @Test(arguments: [("turbo", "registerAdapter"), ("bridge", "web-bridge:ready")])
    func servesGivenAdapter(_ name: String, _ own: String) async throws {
        let adapter = folder.path("\(name).js")
        try Data("/* theirs */ window.theirs = {}".utf8).write(to: URL(fileURLWithPath: adapter))
        let daemon = try RunningDaemon("--config", try file("port: 0\njson: true\n\(name)-adapter: \(adapter)"))
        let script = try await HTTPClient.request(path: "/bridge.js", port: daemon.listening().port).body
        #expect(script.contains("/* theirs */ window.theirs = {}"))
        #expect(!script.contains(own))
    }

    @Test func servesDeclaredInterfaceObjects() async throws {
        let daemon = try RunningDaemon(
            "--config",
            try file(
                """
                port: 0
                json: true
                framework: android
                interfaces:
                  Device:
                    model: {value: Pixel 9}
                    pay: {error: No card}
                    say: {echo: true}
                    log: {none: true}
                """))
        let port = try await daemon.listening().port
        let script = try await HTTPClient.request(path: "/bridge.js", port: port).body
        #expect(script.contains(#"{"name":"Device","methods":["log","model","pay","say"]}"#))
        #expect(script.contains(#""name":"TurboSession""#) && !script.contains(#""name":"turbo""#))
        let attach = try #require(try JSON.parse(PageClient.attach(document: "d-1", webView: "main"))["params"])
        var answers: [String] = []
        for (seq, method) in ["model", "say", "log", "pay"].enumerated() {
            let call = """
                {"jsonrpc":"2.0","id":1,"method":"interface.call",\
                "params":{"seq":\(seq + 1),"handler":"Device","method":"\(method)","body":["a",{}]}}
                """
            let response = try await HTTPClient.request(
                "POST", path: "/call", port: port,
                headers: ["Origin: http://localhost", "Content-Type: application/json"],
                body: "{\"attach\":\(attach.text),\"messages\":[\(call)]}")
            answers.append(response.body)
        }
        #expect(answers[0].contains("Pixel 9") && answers[1].contains(#""value":"a""#))
        #expect(answers[2].contains("undefined") && answers[3].contains("No card"))
    }

    @Test func rejectsValues_thatInterfaceMethodsCannotReturn() async throws {
        let config = try file("interfaces: {Device: {model: {value: [1]}}}")
        let outcome = try await Executable.run(["serve", "--config", config])
        #expect(
            outcome.status == 64 && outcome.errors.contains("A method returns a string, a number, a boolean or null"))
    }

    private static let declared = """
        port: 0
        json: true
        discriminator: type
        redact: [cardNumber]
        stubs:
          - handler: contacts
            match: {kind: all}
            reply: {value: [{name: Zoe}]}
        messages:
          ShareSheet:
            schema:
              type: object
              required: [url]
              properties: {url: {type: string}, cardNumber: {type: string}}
            reply: {call: window.bridge.shared, with: [done]}
          Camera:
            handler: device
            schema: {required: [lens]}
            reply: {value: snap}
        """

    @Test func receivesDeclaredMessages_andAnswersStubs() async throws {
        let daemon = try RunningDaemon("--config", file(Self.declared))
        let (page, attached) = try await PageClient.attach(port: daemon.listening().port)
        let handlers = try #require(attached["handlers"]).elements.compactMap { $0["name"]?.string }
        #expect(handlers == ["bridge", "contacts", "device", "nativeApp", "strada", "turbo"])
        await page.post(#"{"type":"ShareSheet","url":"/x","cardNumber":"4711"}"#, seq: 1)
        let call = try await page.next("method", "script.evaluate")
        #expect(call["params"]?["source"]?.string == #"window.bridge.shared("done")"#)
        await page.post(#"{"type":"ShareSheet","url":3}"#, seq: 2)
        let error = try await page.nextError()
        #expect(error["message"]?.string?.contains("schemaMismatch at /url: expected string, found number 3") == true)
        #expect(
            error["message"]?.string?.contains("bridged.yml, messages.ShareSheet.schema/properties/url/type") == true)
        await page.post(#"{"kind":"all"}"#, seq: 3, to: "contacts", id: "c")
        #expect(try await page.next("id", "c")["result"]?["value"]?[0]?["name"]?.string == "Zoe")
        await page.post(#"{"type":"Camera","lens":"wide"}"#, seq: 4, to: "device", id: "d")
        #expect(try await page.next("id", "d")["result"]?["value"]?.string == "snap")
        await page.post(#"{"type":"Camera"}"#, seq: 5, to: "device", id: "e")
        #expect(try await page.next("id", "e")["error"]?["message"]?.string?.contains("schemaMismatch") == true)
        for await line in daemon.lines {
            guard case let record = try JSON.parse(line), record["kind"]?.string == "message" else { continue }
            #expect(record["name"]?.string == "ShareSheet")
            #expect(record["body"]?["cardNumber"]?.string == "[redacted string, 4 characters]")
            break
        }
    }
}
