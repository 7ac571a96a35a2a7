import TestSupport
import Testing

@testable import BridgeProtocol
@testable import BridgeTraffic

@Suite struct RedactionTests {
    @Test(arguments: [
        ("password", true), ("newPassword", true), ("password_confirmation", true), ("client-secret", true),
        ("Authorization", true), ("Set-Cookie", true), ("token", true), ("accessToken", true), ("api_key", true),
        ("tokens", false), ("name", false), ("path", false), ("author", false), ("", false), ("pin", false),
        (String(repeating: "a", count: 1_024), false), (String(repeating: "a", count: 1_025), true),
    ])
    func covers(key: String, expected: Bool) {
        #expect(Redaction.standard.covers(key) == expected)
        #expect(!Redaction.none.covers(key))
    }

    @Test func coversAddedKeys() {
        var redaction = Redaction.standard
        redaction.add("card_number")
        #expect(redaction.covers("cardNumber") && redaction.covers("CARD-NUMBER") && !redaction.covers("card"))
    }

    @Test func replacesSecretsByTypeAndLength() throws {
        let body = try value(
            #"{"user":"zoe","password":"hunter2","login":[{"token":12,"at":"2026-11-20T10:00:00.000Z"}],"secret":{"a":1},"#
                + #""cookies":["a","b"],"jwt":null,"same":"/secret"}"#,
            types: #"{"/login/0/at":"date","/same":"ref"}"#)
        let redacted = Redaction.standard.redacted(body)
        #expect(
            redacted.json.text
                == #"{"user":"zoe","password":"[redacted string, 7 characters]","login":[{"token":"[redacted number]","#
                + #""at":"2026-11-20T10:00:00.000Z"}],"secret":"[redacted object, 1 members]","#
                + #""cookies":"[redacted array, 2 elements]","jwt":null,"same":"[redacted reference]"}"#)
        #expect(redacted.types?.text == #"{"/login/0/at":"date"}"#)
    }

    /// What a page stores or posts as JSON may be JSON in JSON.
    @Test(arguments: [
        (#"{"body":"{\"user\":\"zoe\",\"password\":\"hunter2\"}"}"#, true),
        (#"{"body":"{\"inner\":\"{\\\"token\\\":\\\"hunter2\\\",\\\"a\\\":1}\"}"}"#, true),
        (#"["[{\"secret\":\"hunter2\"}]"]"#, true),
        (#"{"body":"password: hunter2"}"#, false), (#"{"body":"{\"user\":\"hunter2\"}"}"#, false),
    ])
    func looksIntoTextsWithinTexts(json: String, isSecret: Bool) throws {
        let plain = try value(json)
        let found = Redaction.standard.redacted(plain).json.text
        #expect(found.contains("hunter2") != isSecret, "\(found)")
        #expect(found.contains("[redacted string, 7 characters]") == isSecret)
        #expect(Redaction.none.redacted(plain) == plain)
    }

    @Test func keepsTypesOfOtherValues() throws {
        let body = try value(#"{"n":"NaN","u":[97]}"#, types: #"{"/n":"number","/u":"utf16"}"#)
        #expect(Redaction.standard.redacted(body).types == body.types)
    }

    @Test func removesSecretsFromVerdicts() {
        let verdict = Verdict(
            .dropped, reason: .undecodable, expected: "Int", found: "string \"hunter2\"", at: "/login/password")
        #expect(Redaction.standard.redacted(verdict).found == "[redacted]")
        #expect(Redaction.none.redacted(verdict) == verdict)
    }

    @Test func removesSecretsInJSONText_fromRecords() throws {
        let body = try value(#""{\"name\":\"SignIn\",\"password\":\"hunter2\"}""#)
        let verdict = Verdict(
            .dropped, reason: .undecodable, expected: "an object",
            found: #"string "{\"name\":\"SignIn\",\"password\":\"hunter2""#)
        let events: [TrafficRecord.Event] = [
            .message(handler: "h", name: nil, body: body, seq: 1, verdict: verdict),
            .reply(handler: "h", seq: 1, result: .success(body), duration: .zero, verdict: .replied),
        ]
        for event in events {
            var writer = JSONWriter()
            writer.object { event.redacted(by: .standard).writeMembers(to: &$0) }
            #expect(!writer.text.contains("hunter2") && writer.text.contains("redacted"), "\(writer.text)")
        }
    }
}
