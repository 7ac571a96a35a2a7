import BridgeServer
import BridgeTesting
import EmulatedApp
import PathConfiguration
import Testing

/// Tests each built-in component in real browsers: the page's message, what the app shows, and the app's answer.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct BuiltInComponentTests {
    @Test(arguments: [
        (Browser.Engine.chromium, ComponentPage.hotwire, Platform.ios), (.firefox, .strada, .ios),
        (.firefox, .hotwire, .android),
    ])
    func eachComponent_answers(_ engine: Browser.Engine, _ page: ComponentPage, _ platform: Platform) async throws {
        try await ComponentFixture.run(engine, page, platform: platform) { fixture in
            try await fixture.useBar()
            try await fixture.useSheets()
            try await fixture.useDevice()
            try await fixture.useTokens()
            try await fixture.useTools()
        }
    }

    /// Fails if a built-in component has no test.
    @Test func everyBuiltInComponent_isTested() {
        #expect(
            BridgeComponent.builtIn.map { $0.name } == [
                "alert", "barcode-scanner", "biometrics-lock", "button", "dev-tools", "document-scanner", "form",
                "haptic", "location", "menu", "nfc", "notification-token", "overflow-menu", "permissions",
                "review-prompt", "search", "share", "theme", "toast",
            ])
    }
}

extension ComponentFixture {
    fileprivate func useBar() async throws {
        try await send("form", "connect", "{ title: 'Save' }")
        #expect(try state("form") == #"{"title":"Save","isEnabled":true}"#)
        try await send("form", "disableSubmit")
        #expect(throws: ActionRefusal.self) { try perform("form.submit") }
        try await send("form", "submitEnabled")
        try perform("form.submit")
        #expect(try await answers(1) == [#"form connect {"title":"Save"}"#])

        try await send("button", "left", "{ title: 'Edit', iosImage: 'pencil' }")
        #expect(try state("button") == #"{"left":{"title":"Edit","image":"pencil"}}"#)
        #expect(throws: ActionRefusal.self) { try perform("button.tap") }
        try perform("button.tap", ["side": "left"])
        #expect(try await answers(1).first?.hasPrefix("button left ") == true)

        try await send("overflow-menu", "connect", "{ label: 'More' }")
        try perform("overflow-menu.tap")
        #expect(try await answers(1) == [#"overflow-menu connect {"label":"More"}"#])

        try await send("search", "connect", "{ placeholder: 'Find' }")
        for query in ["a", "ab"] { try perform("search.type", ["query": query]) }
        #expect(try await answers(2) == [#"search connect {"query":"a"}"#, #"search connect {"query":"ab"}"#])
        #expect(try state("search") == #"{"placeholder":"Find","query":"ab"}"#)
    }

    fileprivate func useSheets() async throws {
        try await send("alert", "show", "{ title: 'Delete?', destructive: true, confirm: 'Delete' }")
        #expect(
            try state("alert")
                == #"{"title":"Delete?","description":null,"isDestructive":true,"confirm":"Delete","dismiss":"Cancel"}"#
        )
        try perform("alert.confirm")
        #expect(try await answers(1).first?.hasPrefix("alert show ") == true)
        try await send("alert", "show", "{ title: 'Sure?' }")
        try perform("alert.dismiss")
        #expect(try state("alert") == nil)

        try await send(
            "menu", "display", "{ title: 'Sort', items: [{ title: 'Old', index: 4 }, { title: 'New', index: 7 }] }")
        #expect(try state("menu") == #"{"title":"Sort","items":["Old","New"],"destructive":[],"isOpen":true}"#)
        #expect(throws: ActionRefusal.self) { try perform("menu.select", ["item": "3"]) }
        try perform("menu.select", ["item": "2"])
        #expect(try await answers(1) == [#"menu display {"selectedIndex":7}"#])
        try await send("menu", "connect", "{ items: [{ title: 'Old', destructive: true }, { title: 'New' }] }")
        #expect(try state("menu") == #"{"title":null,"items":["Old","New"],"destructive":["Old"],"isOpen":false}"#)
        try perform("menu.select", ["item": "New"])
        #expect(try await answers(1) == [#"menu connect {"index":1}"#])

        try await send("share", "connect", "{ url: location.href }")
        try perform("share.tap")
        #expect(try state("share")?.hasSuffix(#""isSheetUp":true}"#) == true)
        try perform("share.leave")
        try await send("share", "share", "{ text: 'Hello' }")
        try perform("share.leave")
        #expect(try await answers(1) == [#"share share {"text":"Hello"}"#])

        try await send("toast", "show", "{ message: 'Saved' }")
        #expect(try state("toast") == #"{"message":"Saved"}"#)
        try await send("theme", "connect", "{ theme: 'dark' }")
        #expect(try state("theme") == #"{"theme":"dark"}"#)
    }

    fileprivate func useDevice() async throws {
        // The user can change these settings of the phone before a page asks for them.
        try perform("permissions.deny", ["permission": "camera"])
        try await send("haptic", "vibrate", "{ feedback: 'warning' }")
        #expect(try state("haptic") == #"{"feedback":"warning","count":1}"#)

        try await send("barcode-scanner", "scan")
        #expect(try await answers(1) == [#"barcode-scanner scan {"barcode":"4006381333931"}"#])
        try perform("barcode-scanner.see")
        try await send("barcode-scanner", "scan")
        #expect(try state("barcode-scanner") == #"{"isScanning":true}"#)
        try perform("barcode-scanner.see", ["barcode": "42"])
        #expect(try await answers(1) == [#"barcode-scanner scan {"barcode":"42"}"#])

        try await send("nfc", "read")
        #expect(try await answers(1) == [#"nfc read {"type":"text","value":"Hello, world!"}"#])
        try perform("nfc.hold")
        try await send("nfc", "write", "{ value: 'https://example.com/' }")
        #expect(try state("nfc") == #"{"isReading":false,"isWriting":true,"tag":null}"#)
        try perform("nfc.hold", ["value": "empty"])
        #expect(try state("nfc") == #"{"isReading":false,"isWriting":false,"tag":"https://example.com/"}"#)
        try await send("nfc", "read")
        #expect(try await answers(1) == [#"nfc read {"type":"url","value":"https://example.com/"}"#])
        #expect(throws: ActionRefusal.self) { try perform("nfc.cancel") }

        // To the browser, the scanner's result is a picture.
        try await send("document-scanner", "scan")
        try await app.wait(until: "answers.length == 1")
        try await app.run(
            "picture = new Image(); picture.src = `data:image/jpeg;base64,${answers.splice(0)[0].data.imageData}`")
        try await app.wait(until: "picture.complete && picture.naturalWidth == 1")

        try await send("location", "get")
        #expect(try await answers(1) == [#"location get {"latitude":52.52,"longitude":13.405}"#])
        try perform("location.move", ["latitude": "48.85", "longitude": "2.35"])
        #expect(throws: ActionRefusal.self) { try perform("location.move", ["latitude": "91", "longitude": "0"]) }
        try await send("location", "get")
        #expect(try await answers(1) == [#"location get {"latitude":48.85,"longitude":2.35}"#])

        try await send("biometrics-lock", "enable")
        try perform("biometrics-lock.refuse")
        try perform("background")
        try perform("foreground")
        #expect(try state("biometrics-lock") == #"{"isEnabled":true,"isLocked":true}"#)
        try perform("biometrics-lock.unlock")
        #expect(try state("biometrics-lock") == #"{"isEnabled":true,"isLocked":false}"#)
    }

    fileprivate func useTokens() async throws {
        try await send("notification-token", "get")
        #expect(try await answers(1) == [#"notification-token get {"token":"c0ffee"}"#])
        try perform("rotatePushToken", ["token": "beef"])
        #expect(try await answers(1) == [#"notification-token get {"token":"beef"}"#])

        try perform("pushToken", ["denied": "true"])
        try await send("notification-token", "get")
        #expect(try state("notification-token") == #"{"isWaiting":true}"#)
        try await send("permissions", "notifications")
        #expect(try await answers(1) == [#"permissions notifications {"code":0,"text":"denied"}"#])
        try perform("permissions.allow", ["permission": "notifications"])
        #expect(try await answers(1) == [#"notification-token get {"token":"beef"}"#])

        try perform("permissions.deny", ["permission": "location"])
        try await send("permissions", "location")
        #expect(try await answers(1) == [#"permissions location {"code":0,"text":"denied"}"#])
        try await send("location", "get")
        #expect(try await answers(1) == ["location get {}"])
        #expect(try state("permissions") == #"{"camera":false,"location":false,"notifications":true}"#)
    }

    fileprivate func useTools() async throws {
        try await send("review-prompt", "prompt")
        #expect(try state("review-prompt") == #"{"count":1}"#)

        try await send("dev-tools", "connect")
        #expect(try await answers(1) == [#"dev-tools connect {"callbackReason":"connected"}"#])
        try await send("dev-tools", "currentStackInfo")
        let stacks = try #require(try await answers(1).first)
        #expect(stacks.contains(#""type":"VisitableViewController""#) && stacks.contains(#""title":"main""#))
        try await send("dev-tools", "propertiesForUrl", "{ url: location.href }")
        #expect(try await answers(1).first?.contains("properties") == true)
        try await send("dev-tools", "vibrate", "{ style: 'soft' }")
        #expect(try state("dev-tools") == #"{"vibrated":"soft"}"#)
    }
}
