import BridgeProtocol
import BridgeYAML
import Testing

/// The file of a cassette: what it may have, and that what is written is read again.
@Suite struct CassetteFileTests {
    private func read(_ text: String) throws -> Cassette { try Cassette(YAMLFile(name: "phone.yml", text: text)) }

    private static let usual = """
        cassette: 1
        recorded: 2026-11-29
        expires: 90d
        device: {model: iPhone, system: iOS 18.5, framework: Hotwire Native iOS}
        order: recorded
        timing: recorded
        repeats: false
        entries:
          - component: form
            event: connect
            data: {submitTitle: Save}
            replies: [{event: submitted, data: {title: Save}, delay: 12ms}, {data: {}}]
          - handler: camera
            body: {name: take, zoom: 1.5, at: "1970-01-01T00:00:00.000Z"}
            reply: {value: {photo: cat.jpg, size: [640, 480]}}
            delay: 1003ms
          - handler: camera
            match: {name: fail}
            reply: {error: The user has no camera.}
          - handler: nativeApp
            body: {name: RegisterPushToken}
            calls:
              - {call: window.bridge.register, with: [c0ffee], delay: 4ms}
              - {script: "window.bridge.x(undefined)"}
          - handler: log
          - object: Device
            method: model
            arguments: [full, 2]
            reply: {value: null, types: {"": undefined}}

        """

    @Test func readsWhatItWrites() throws {
        let cassette = try read(Self.usual)
        #expect(cassette.entries.count == 6 && cassette.daysUntilOld == 90 && cassette.order == .recorded)
        #expect(cassette.entries.map(\.line) == [9, 13, 17, 20, 25, 26])
        let text = cassette.yaml
        let again = try read(text)
        #expect(again.yaml == text)
        #expect(again.entries.map(\.answer) == cassette.entries.map(\.answer))
        #expect(again.device == cassette.device && again.recorded == cassette.recorded)
        #expect(text.contains("    reply: {value: {photo: cat.jpg, size: [640, 480]}}\n    delay: 1003ms\n"))
        #expect(text.contains("    calls:\n      - {call: window.bridge.register, with: [c0ffee], delay: 4ms}\n"))
    }

    @Test func everyTextIsReadAsItWas() throws {
        let texts = [
            "", " a", "a ", "yes", "No", "y", "null", "~", "1", "1e3", "0x1F", "2026-11-29", "12:30", "a: b", "a #b",
            "a,b",
            "{a}", "[a]", "*a", "&a", "!a", "|", ">", "@a", "`a", "%a", "-", "- a", "a-b/c.d", "?",
            "\u{7F}\u{85}\u{2028}\u{FEFF}",
            "\n", "\t", "\"", "\\", "😀", "é", "a\u{0}b", "http://localhost:3000/?a=b", ".5", "=", "<<", "true story",
        ]
        for text in texts {
            let entry = Cassette.Entry(.handler("h"), .exactly(["key": .string(text), text.isEmpty ? "_" : text: 1]))
            let cassette = try read(Cassette(name: "phone.yml", entries: [entry]).yaml)
            guard case .exactly(let content) = cassette.entries[0].pattern else { continue }
            #expect(
                content["key"] == .string(text) && content[text.isEmpty ? "_" : text] == 1, "\(text.debugDescription)")
        }
    }

    /// YAML reads no key before a colon that has more than 1,024 characters.
    @Test(arguments: [1, 600]) func longKeysAreReadAsTheyWere(count: Int) throws {
        let key = String(repeating: "a: ", count: 400)
        let content: JSONValue = .object([
            .init(key, 1), .init("b", .object([.init(key, .array([1, [:]]))])),
            .init("\(key)c", .array(Array(repeating: ["text"], count: count))), .init("d", 2),
        ])
        let entry = Cassette.Entry(.handler("h"), .exactly(content), reply: .value(ScriptValue(content)))
        let cassette = try read(Cassette(name: "phone.yml", entries: [entry]).yaml)
        guard case .exactly(let read) = cassette.entries[0].pattern else { return }
        #expect(read == content && cassette.entries[0].reply.text == entry.reply.text)
    }

    /// A page's clock may say anything.
    @Test(arguments: [-1e15, -5, 1e9, 2e9, 1e15]) func timesAreReadHoweverLong(milliseconds: Double) throws {
        let delay = Duration.milliseconds(milliseconds)
        let entry = Cassette.Entry(
            .handler("h"), .anything, reply: .value(1), delay: delay,
            calls: [StubCall(.function("window.f", []), delay: delay)])
        let cassette = try read(Cassette(name: "phone.yml", entries: [entry]).yaml)
        #expect(cassette.entries[0].delay == min(max(delay, .zero), .seconds(1_000_000)))
    }

    @Test func longValuesHaveSeveralLines() throws {
        let long = String(repeating: "long ", count: 20) + "text"
        let content: JSONValue = [
            "list": [["a": .string(long), "b": [1, [2, .string(long)]]], 3], "empty": [:], "none": [],
        ]
        let cassette = Cassette(name: "phone.yml", entries: [Cassette.Entry(.handler("h"), .exactly(content))])
        let text = cassette.yaml
        #expect(
            text.hasSuffix(
                """
                entries:
                  - handler: h
                    body:
                      list:
                        - a: \(long)
                          b:
                            - 1
                            - - 2
                              - \(long)
                        - 3
                      empty: {}
                      none: []

                """))
        guard case .exactly(let read) = try read(text).entries[0].pattern else { return }
        #expect(read == content)
    }

    @Test(arguments: [
        (
            "entries: [{}]",
            "phone.yml:1:11: An entry has a handler, or a component and its event, or an object and its method; found a mapping with ."
        ),
        ("entries: [{component: form}]", "A component's entry needs its event"),
        ("entries: [{handler: a, data: {}}]", "The entry of a has body, not data."),
        ("entries: [{handler: a, body: 1, match: 1}]", "body is the whole, and match a part of it"),
        ("entries: [{component: a, event: b, reply: {value: 1}}]", "A component has replies"),
        ("entries: [{handler: a, replies: []}]", "Only a component has replies"),
        ("entries: [{handler: a, calls: [{with: [1]}]}]", "A call needs a function"),
        ("order: ordered\nentries: []", "Expected any or recorded"),
        ("recorded: yesterday\nentries: []", "Expected a day such as 2026-11-29"),
        ("expires: 3w\nentries: []", "Expected a number of days such as 90d"),
        ("cassette: 2\nentries: []", "This version of bridged reads cassette: 1"),
        ("entrys: []", "Did you mean \"entries\"?"), ("order: any", "A cassette needs entries"),
    ])
    func namesMistakes(_ text: String, _ expected: String) {
        let error = #expect(throws: YAMLError.self) { try self.read(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    // MARK: Declarations

    private func declarations(_ name: String) throws -> String? {
        CassetteDeclarations(of: name, in: try read(Self.usual))?.yaml
    }

    @Test func writesDeclarationsForBridgedYML() throws {
        #expect(
            try declarations("camera") == """
                stubs:
                  - handler: camera
                    match: {name: take, zoom: 1.5, at: "1970-01-01T00:00:00.000Z"}
                    reply: {value: {photo: cat.jpg, size: [640, 480]}}
                    delay: 1003ms
                  - handler: camera
                    match: {name: fail}
                    reply: {error: The user has no camera.}

                """)
        #expect(
            try declarations("nativeApp")?.contains(
                "    reply: {none: true}\n    calls:\n      - {call: window.bridge.register") == true)
        #expect(
            try declarations("form") == """
                components:
                  form:
                    connect: {reply: {title: Save}, delay: 12ms}

                """)
        #expect(
            try declarations("Device") == """
                interfaces:
                  Device:
                    model: {value: null, types: {"": undefined}}

                """)
        #expect(try declarations("nothing") == nil)
    }

    @Test func stubsMayCall() throws {
        let yaml = try YAMLFile(
            name: "b.yml", text: "{handler: a, reply: {none: true}, calls: [{call: window.a, with: [1], delay: 5ms}]}")
        let stub = try DeclaredStub(yaml.root)
        #expect(stub.calls.map(\.source) == ["window.a(1)"] && stub.calls[0].delay == .milliseconds(5))
    }
}
