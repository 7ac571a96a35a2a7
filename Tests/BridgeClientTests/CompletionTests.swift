import BridgeClient
import Testing

@Suite struct CompletionTests {
    @Test(
        arguments: [
            ("docu", nil, "docu"), ("1 + document.ti", "document", "ti"), ("f(window.a.b.", "window.a.b", ""),
            ("$x", nil, "$x"),
        ] as [(String, String?, String)])
    func findsTheTypedName(_ text: String, _ object: String?, _ prefix: String) throws {
        let completion = try #require(Completion(of: text))
        #expect(completion.prefix == prefix)
        #expect(completion.script.contains("Object(\(object ?? "globalThis"))"))
    }

    /// Completion calls no function, and does not complete members of numbers.
    @Test(arguments: ["", "f().", "1.", "a[0].", "x + "]) func completesNothingElse(_ text: String) {
        #expect(Completion(of: text) == nil)
    }

    @Test func insertsTheCommonPart() throws {
        let completion = try #require(Completion(of: "document.ge"))
        #expect(completion.rest(["getElementById", "getElementsByName"]) == "tElement")
        #expect(completion.rest(["getElementById"]) == "tElementById")
        #expect(completion.rest([]) == "")
    }
}
