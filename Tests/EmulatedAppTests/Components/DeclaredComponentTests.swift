import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeYAML
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// Bridge components that are declared in YAML or JSON.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DeclaredComponentTests {
    private static func message(_ component: String, _ event: String, _ data: String = "") -> String {
        """
        {"id":"7","component":"\(component)","event":"\(event)",\
        "data":{\(data.isEmpty ? "" : "\(data),")"metadata":{"url":"http://localhost:3000/"}}}
        """
    }

    private static func reply(_ event: String, _ data: String, _ component: String = "scanner") -> String {
        #"window.nativeBridge.replyWith({"id":"7","component":"\#(component)","event":"\#(event)","data":\#(data)})"#
    }

    private func components(_ yaml: String) throws -> [DeclaredComponent] {
        try DeclaredComponent.all(in: YAMLFile(name: "c.yml", text: yaml).root)
    }

    private func run(_ yaml: String, _ body: @MainActor (PageFixture) async throws -> Void) async throws {
        let components = try components(yaml)
        try await PageFixture.run {
            $0.declaredComponents = components
        } _: { fixture in
            try await fixture.boot()
            try await body(fixture)
        }
    }

    private func state(_ fixture: PageFixture, _ component: String = "scanner") -> String? {
        JSONValue.object(fixture.app.state)["main"]?[0]?["components"]?[component]?.text
    }

    // MARK: The built-in components

    private struct Turn {
        let component: String
        let event: String
        var data = ""
        /// What the user does to the built-in component, and to the declared one.
        var builtIn: [(String, Action.Arguments)] = []
        var declared: [(String, Action.Arguments)] = []
        var replies = 0
    }

    private static let turns = [
        Turn(
            component: "alert", event: "show", data: #""title":"Sure?","confirm":"Yes""#, builtIn: [("confirm", [:])],
            declared: [("choose", ["item": "Yes"])], replies: 1),
        Turn(
            component: "alert", event: "show", data: #""title":"Sure?""#, builtIn: [("dismiss", [:])],
            declared: [("choose", ["item": "Cancel"])]),
        Turn(component: "barcode-scanner", event: "scan", replies: 1),
        Turn(
            component: "button", event: "left", data: #""title":"Edit""#, builtIn: [("tap", ["side": "left"])],
            declared: [("tap", ["button": "Edit"])], replies: 1),
        Turn(
            component: "button", event: "connect", data: #""iosImage":"plus""#, builtIn: [("tap", [:])],
            declared: [("tap", ["button": "plus"])], replies: 1),
        Turn(
            component: "form", event: "connect", data: #""submitTitle":"Save""#, builtIn: [("submit", [:])],
            declared: [("tap", [:])], replies: 1),
        Turn(component: "form", event: "submitDisabled"),
        Turn(
            component: "form", event: "enableSubmit", builtIn: [("submit", [:])], declared: [("tap", [:])], replies: 1),
        Turn(component: "haptic", event: "vibrate"),
        Turn(component: "location", event: "get", replies: 1),
        Turn(
            component: "menu", event: "display",
            data: #""items":[{"title":"Old","index":4},{"title":"New","index":7}]"#,
            builtIn: [("select", ["item": "New"])], declared: [("choose", ["item": "New"])], replies: 1),
        Turn(
            component: "menu", event: "connect", data: #""items":[{"title":"Old"},{"title":"New"}]"#,
            builtIn: [("select", ["item": "2"])], declared: [("tap", [:]), ("choose", ["item": "2"])], replies: 1),
        Turn(component: "nfc", event: "read", replies: 1),
        Turn(component: "nfc", event: "write", data: #""value":"x""#),
        Turn(component: "notification-token", event: "get", replies: 1),
        Turn(
            component: "overflow-menu", event: "connect", builtIn: [("tap", [:])], declared: [("tap", [:])], replies: 1),
        Turn(component: "permissions", event: "camera", replies: 1),
        Turn(component: "permissions", event: "notifications", replies: 1),
        Turn(component: "review-prompt", event: "prompt"),
        Turn(
            component: "search", event: "connect", builtIn: [("type", ["query": "a"])],
            declared: [("type", ["text": "a"])],
            replies: 1),
        Turn(
            component: "share", event: "connect", data: #""url":"/""#, builtIn: [("tap", [:]), ("leave", [:])],
            declared: [("tap", [:]), ("choose", ["item": "Close"])]),
        Turn(
            component: "share", event: "share", data: #""text":"Hi""#, builtIn: [("leave", [:])],
            declared: [("choose", ["item": "Close"])], replies: 1),
        Turn(component: "theme", event: "connect", data: #""theme":"dark""#),
        Turn(component: "toast", event: "show", data: #""message":"Saved""#),
        Turn(component: "biometrics-lock", event: "enable"),
    ]

    /// Examples/components.yml replies as the built-in components do.
    @Test func builtInComponents_canBeDeclared() async throws {
        let file = try YAMLFile(path: Repository.file("Examples/components.yml").path)
        let declared = try DeclaredComponent.all(in: #require(file.root.members()["components"]))
        let names = BridgeComponent.builtIn.map { $0.name }
        #expect(names.filter { name in !declared.contains { $0.name == name } } == ["dev-tools"])
        for type in BridgeComponent.builtIn where type.name != "dev-tools" {
            let events = ComponentProfile(of: type).events.map(\.name)
            #expect(declared.first { $0.name == type.name }?.profile.events.map(\.name).sorted() == events.sorted())
        }
        let expected = try await scripts([], \.builtIn)
        let found = try await scripts(declared, \.declared)
        #expect(expected.count == Self.turns.map(\.replies).reduce(0, +))
        #expect(found == expected)
    }

    private func scripts(
        _ declared: [DeclaredComponent], _ actions: KeyPath<Turn, [(String, Action.Arguments)]>
    ) async throws -> [String] {
        var scripts: [String] = []
        try await PageFixture.run {
            $0.pushToken = "c0ffee"
            $0.declaredComponents = declared
        } _: { fixture in
            try await fixture.boot()
            for turn in Self.turns {
                let message = Self.message(turn.component, turn.event, turn.data)
                #expect(try await fixture.post(message, to: "bridge") == .handled, "\(turn.component) \(turn.event)")
                for (action, arguments) in turn[keyPath: actions] {
                    try fixture.app.perform("\(turn.component).\(action)", arguments)
                }
                for _ in 0..<turn.replies { scripts.append(try await fixture.script()) }
            }
        }
        return scripts
    }

    // MARK: What the app shows and replies

    @Test func barButton_isShownAndReplies() async throws {
        try await run("scanner: {connect: {barButton: {title: Scan, icon: qrcode}}, off: {enabled: false}}") {
            fixture in
            #expect(
                fixture.refusal("scanner.tap")?.hasPrefix("nothing on the screen uses the component 'scanner'.") == true
            )
            #expect(try await fixture.post(Self.message("scanner", "connect"), to: "bridge") == .handled)
            #expect(
                state(fixture)
                    == #"{"barButtons":[{"title":"Scan","icon":"qrcode","side":"right","isEnabled":true}]}"#)
            try fixture.app.perform("scanner.tap")
            #expect(
                try await fixture.script() == Self.reply("connect", #"{"metadata":{"url":"http://localhost:3000/"}}"#))
            #expect(
                fixture.refusal("scanner.tap", ["button": "Print"])
                    == "scanner has no bar button 'Print'. It has: Scan.")
            try await fixture.post(Self.message("scanner", "off"), to: "bridge")
            #expect(fixture.refusal("scanner.tap") == "the bar button is disabled.")
        }
    }

    @Test func barButton_canBeDisabledFromTheStart() async throws {
        try await run("scanner: {connect: {barButton: {icon: qrcode}, enabled: false}}") {
            fixture in
            try await fixture.post(Self.message("scanner", "connect"), to: "bridge")
            #expect(fixture.refusal("scanner.tap") == "the bar button is disabled.")
            #expect(
                fixture.refusal("scanner.tap", ["button": "Print"])
                    == "scanner has no bar button 'Print'. It has: qrcode.")
        }
    }

    @Test func responsesComeInTurn_lateAndForOtherEvents() async throws {
        let yaml = """
            scanner:
              connect: {barButton: {title: Scan, tap: {event: scan, reply: {code: again, of: $user.name}}}, delay: 1ms}
              scan: [{reply: {code: "1", missing: $none}}, {error: busy}, {reply: {price: $$5}}]
            """
        try await run(yaml) { fixture in
            for data in [#"{"code":"1"}"#, #"{"error":"busy"}"#, #"{"price":"$5"}"#, #"{"price":"$5"}"#] {
                try await fixture.post(Self.message("scanner", "scan"), to: "bridge")
                #expect(try await fixture.script() == Self.reply("scan", data))
            }
            // The button comes later; waiting for it in the state ends with the test's time limit.
            try await fixture.post(Self.message("scanner", "connect", #""user":{"name":"Zoe"}"#), to: "bridge")
            while state(fixture) == nil { await Task.yield() }
            try fixture.app.perform("scanner.tap")
            #expect(try await fixture.script() == Self.reply("scan", #"{"code":"again","of":"Zoe"}"#))
        }
    }

    @Test func userChooses_whatHappens() async throws {
        let yaml = """
            scanner:
              scan: {choose: {works: {reply: {code: "42"}}, permission denied: {error: denied}, cancelled: {}}}
              sort: {picker: {items: [by date, by name]}}
            """
        try await run(yaml) { fixture in
            try await fixture.post(Self.message("scanner", "scan"), to: "bridge")
            #expect(state(fixture) == #"{"choose":{"items":["works","permission denied","cancelled"]}}"#)
            #expect(
                fixture.refusal("scanner.choose", ["item": "maybe"])
                    == "there is no item 'maybe'. There are: works, permission denied, cancelled.")
            try fixture.app.perform("scanner.choose", ["item": "permission denied"])
            #expect(try await fixture.script() == Self.reply("scan", #"{"error":"denied"}"#))
            #expect(state(fixture) == nil)
            #expect(fixture.refusal("scanner.choose", ["item": "1"]) == "scanner shows nothing to choose from.")
            for item in ["cancelled", "1"] {
                try await fixture.post(Self.message("scanner", "scan"), to: "bridge")
                try fixture.app.perform("scanner.choose", ["item": item])
            }
            #expect(try await fixture.script() == Self.reply("scan", #"{"code":"42"}"#))
            try await fixture.post(Self.message("scanner", "sort"), to: "bridge")
            try fixture.app.perform("scanner.dismiss")
            try await fixture.post(Self.message("scanner", "sort"), to: "bridge")
            try fixture.app.perform("scanner.choose", ["item": "by name"])
            #expect(try await fixture.script() == Self.reply("sort", #"{"index":1,"title":"by name"}"#))
        }
    }

    @Test func unknownEvent_isDropped_andNamesTheNearest() async throws {
        try await run("scanner: {connect: {}}") { fixture in
            let verdict = try await fixture.post(Self.message("scanner", "conect"), to: "bridge")
            #expect(verdict.reason == .unknownEvent && verdict.hint?.hasPrefix(#"Did you mean "connect"?"#) == true)
            #expect(fixture.app.actions.contains { $0.name == "form.submit" })
            #expect(!fixture.app.actions.contains { $0.name.hasPrefix("scanner.") })
        }
    }

    // MARK: At run time

    @Test func componentThatIsDeclaredLate_isRegisteredAndListed() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post(#""ready""#, to: "bridge")
            _ = try await fixture.script()
            try fixture.app.declare(components: JSON.parse(#"{"scanner":{"scan":{"reply":{"code":"42"}}}}"#))
            #expect(try await fixture.script() == #"window.nativeBridge.register(["scanner"])"#)
            let userAgent = fixture.server.scope(for: "main")?.applicationNameForUserAgent
            #expect(userAgent?.hasSuffix(" toast scanner]") == true)
            try await fixture.post(Self.message("scanner", "scan"), to: "bridge")
            #expect(try await fixture.script() == Self.reply("scan", #"{"code":"42"}"#))

            try fixture.app.stub(component: "scanner", event: "scan", response: JSON.parse(#"{"error":"busy"}"#))
            try await fixture.post(Self.message("scanner", "scan"), to: "bridge")
            #expect(try await fixture.script() == Self.reply("scan", #"{"error":"busy"}"#))
            try fixture.app.perform("reply", ["component": "scanner", "event": "scan", "data": #"{"code":"43"}"#])
            #expect(try await fixture.script() == Self.reply("scan", #"{"code":"43"}"#))
            #expect(
                fixture.refusal("reply", ["component": "scanner", "event": "sacn"])
                    == "the page has sent no 'sacn' to scanner. It has sent: scan.")
            for (component, event, nearest) in [("scaner", "scan", "scanner"), ("scanner", "scna", "scan")] {
                let refusal = #expect(throws: ActionRefusal.self) {
                    try fixture.app.stub(component: component, event: event, response: JSON.parse("{}"))
                }
                #expect(refusal?.description.contains(#"Did you mean "\#(nearest)"?"#) == true)
            }
            let events = (0..<EmulatedApp.maximumDeclaredEvents).map { "\"e\($0)\":{}" }.joined(separator: ",")
            #expect(throws: ActionRefusal.self) {
                try fixture.app.declare(components: JSON.parse("{\"many\":{\(events)}}"))
            }
            fixture.app.resetComponents()
            #expect(try await fixture.script() == #"window.nativeBridge.unregister("scanner")"#)
            #expect(fixture.server.scope(for: "main")?.applicationNameForUserAgent?.hasSuffix(" toast]") == true)
            #expect(throws: ActionRefusal.self) { try fixture.app.declare(components: JSON.parse(#"{"a b":{}}"#)) }
        }
    }

    @Test func eventsThatAreDeclaredAgain_takeNoMoreRoom() async throws {
        func component(events: Int) throws -> JSON {
            let events = (0..<events).map { "\"e\($0)\":{}" }.joined(separator: ",")
            return try JSON.parse("{\"many\":{\(events)}}")
        }
        let most = EmulatedApp.maximumDeclaredEvents
        try await PageFixture.run { fixture in
            try fixture.app.declare(components: JSON.parse(#"{"scanner":{"scan":{}}}"#))
            for _ in 1...2 { try fixture.app.declare(components: component(events: most - 1)) }
            try fixture.app.stub(component: "scanner", event: "scan", response: JSON.parse("{}"))
            #expect(throws: ActionRefusal.self) {
                try fixture.app.stub(component: "scanner", event: "ring", response: JSON.parse("{}"))
            }
            #expect(throws: ActionRefusal.self) { try fixture.app.declare(components: component(events: most)) }
            try fixture.app.declare(components: component(events: 1))
            try fixture.app.stub(component: "scanner", event: "ring", response: JSON.parse("{}"))
        }
    }

    /// The built-in component keeps its other events.
    @Test func stubOfABuiltInComponent_answersOneEvent() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try fixture.app.stub(
                component: "permissions", event: "camera", response: JSON.parse(#"{"reply":{"code":0}}"#))
            try await fixture.post(Self.message("permissions", "camera"), to: "bridge")
            #expect(try await fixture.script() == Self.reply("camera", #"{"code":0}"#, "permissions"))
            try await fixture.post(Self.message("permissions", "location"), to: "bridge")
            #expect(
                try await fixture.script()
                    == Self.reply("location", #"{"code":1,"text":"authorized"}"#, "permissions"))
            #expect(state(fixture, "permissions")?.contains(#""camera":true"#) == true)
        }
    }

    // MARK: Mistakes

    nonisolated static let mistakes: [(yaml: String, message: String)] = [
        ("scanner: {}", "1:10: A component needs an event: {connect: {barButton: {title: Scan}}}, or {connect: {}}."),
        (
            "ticket scanner: {scan: {}}",
            "1:17: \"ticket scanner\" cannot be the name of a component: expected letters, digits, - and _, as in "
                + "ticket-scanner."
        ),
        ("scanner:\n  scan: {repyl: {}}", "2:17: There is no key \"repyl\" here. Did you mean \"reply\"?"),
        (
            "scanner:\n  scan: {reply: [1]}",
            "2:17: Expected the reply's data, a mapping, or echo for the message's own; found array of 1. Responses "
                + "in turn are a list: [{reply: {code: 1}}, {error: busy}]."
        ),
        ("scanner:\n  scan: {reply: {}, error: no}", "2:9: Give one of reply and error."),
        (
            "scanner:\n  scan: {reply: {}, delay: soon}",
            "2:28: Expected a time such as 300ms or 5s, found string \"soon\"."
        ),
        (
            "scanner:\n  connect:\n    barButton: {title: Scan, side: rigth}",
            "3:36: Expected one of left, right, found \"rigth\". Did you mean \"right\"?"
        ),
        ("scanner: {a: {menu: {title: Sort}}}", "1:21: A menu needs items: [by date, by name], or $items."),
        (
            "scanner: {a: [{hide: barbutton}]}",
            "1:22: Expected one of barButton, alert, menu, picker, textField, choose, found \"barbutton\". Did you mean \"barButton\"?"
        ),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_withTheirPlace(mistake: (yaml: String, message: String)) throws {
        let error = #expect(throws: YAMLError.self) { try components(mistake.yaml) }
        #expect(error?.description == "c.yml:\(mistake.message)")
    }
}
