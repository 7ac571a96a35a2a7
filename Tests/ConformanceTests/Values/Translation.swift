import BridgeProtocol

/// Translates outcomes recorded with WebKitGTK to those of Apple's API (see "Apple vs GTK" in the README of the
/// recordings).
enum Translation {
    static let badArgument = """
        Function argument values must be one of the following types, or contain only the following types: \
        NSNumber, NSNull, NSDate, NSString, NSArray, and NSDictionary
        """
    private static let unanswered = "WKWebView API client did not respond to this postMessage"

    static func expectation(of recordedCase: RecordedCase) -> JSONValue {
        var expect = recordedCase.expect
        let isTerminated = expect["webProcessTerminated"] != nil
        expect["webProcessTerminated"] = nil
        expect["delivered"] = expect["delivered"].map(entries)
        expect["messages"] = expect["messages"].map(entries)
        if recordedCase.kind == "evaluate" || recordedCase.kind == "callAsync" { expect = nativeResult(expect) }
        if recordedCase.kind == "post" { expect = reply(expect, recordedCase) }
        if let results = expect["results"]?.dictionary {
            let translated = stepResults(results, recordedCase)
            expect["results"] = JSONValue(isTerminated ? translated.mapValues(terminated) : translated)
        }
        return expect
    }

    /// Translates the outcome of the page's promise, whose value has passed through native code.
    private static func reply(_ expect: JSONValue, _ recordedCase: RecordedCase) -> JSONValue {
        var expect = expect
        if isUnanswered(expect, recordedCase) {
            let error =
                #"{"t":"error","ctor":"Error","name":"Error","message":"\#(unanswered)","isError":true,"isDOMException":false}"#
            expect["promise"] = ["state": .string("rejected"), "reason": (try? JSONValue(json: error)) ?? .null]
        } else if let value = expect["promise"]?["value"] {
            expect["promise"]?["value"] = ValueTranslation.handedBack(value)
        }
        return expect
    }

    /// Returns whether the handler released the reply without an answer. GTK then fulfils the promise, and Apple
    /// rejects it.
    private static func isUnanswered(_ expect: JSONValue, _ recordedCase: RecordedCase) -> Bool {
        guard let last = expect["delivered"]?.elements?.last, let name = last["handler"]?.string else { return false }
        let mode = recordedCase.handlers.first { $0.name == name }?.reply
        return mode == "drop" || mode == "decline"
    }

    /// Translates the results of steps that ran in native code. Results of the page stay unchanged.
    private static func stepResults(_ results: [String: JSONValue], _ recordedCase: RecordedCase) -> [String: JSONValue]
    {
        var translated = results
        for step in recordedCase.steps ?? [] {
            guard let name = step.as, let result = results[name], !["page", "pageAsync"].contains(step.do) else {
                continue
            }
            translated[name] = nativeResult(result)
        }
        return translated
    }

    /// Translates the result of an evaluation whose process ended: GTK has no result, and Apple has its own error.
    private static func terminated(_ result: JSONValue) -> JSONValue {
        result["error"] == ["code": 5] ? ["error": ["code": 2]] : result
    }

    private static func entries(_ messages: JSONValue) -> JSONValue {
        if let items = messages.elements { return .array(items.map(entry)) }
        // A long list is recorded as its ends and a hash.
        var messages = messages
        messages["first"] = messages["first"].map(entry)
        messages["last"] = messages["last"].map(entry)
        return messages
    }

    private static func entry(_ message: JSONValue) -> JSONValue {
        guard let body = message["body"] else {
            return message["mark"] == nil ? ValueTranslation.native(message) : message
        }
        var message = message
        message["body"] = ValueTranslation.native(body)
        return message
    }

    private static func nativeResult(_ result: JSONValue) -> JSONValue {
        var result = result
        if let value = result["value"] { result["value"] = ValueTranslation.native(value) }
        if let error = result["error"] { result["error"] = nativeError(error) }
        return result
    }

    /// Translates an error to a code of `WKErrorDomain` and the user info that an app can read.
    private static func nativeError(_ error: JSONValue) -> JSONValue {
        switch error["code"]?.number {
        case 699:
            var translated: JSONValue = [
                "code": 4, "message": error["message"] ?? .null, "line": error["line"] ?? 0,
                "column": error["column"] ?? 0,
            ]
            translated["sourceURL"] = error["sourceURL"]
            return translated
        case 601: return ["code": 5]
        case 600: return ["code": 4, "message": .string(badArgument)]
        default: return error
        }
    }
}
