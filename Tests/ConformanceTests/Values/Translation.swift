/// Translates outcomes recorded with WebKitGTK to those of Apple's API (see "Apple vs GTK" in the README of the
/// recordings).
enum Translation {
    static let badArgument = """
        Function argument values must be one of the following types, or contain only the following types: \
        NSNumber, NSNull, NSDate, NSString, NSArray, and NSDictionary
        """
    private static let unanswered = "WKWebView API client did not respond to this postMessage"

    static func expectation(of recordedCase: RecordedCase) -> Tree {
        var expect = recordedCase.expect
        let isTerminated = expect["webProcessTerminated"] != nil
        expect["webProcessTerminated"] = nil
        expect["delivered"] = expect["delivered"].map(entries)
        expect["messages"] = expect["messages"].map(entries)
        if recordedCase.kind == "evaluate" || recordedCase.kind == "callAsync" { expect = nativeResult(expect) }
        if recordedCase.kind == "post" { expect = reply(expect, recordedCase) }
        if let results = expect["results"]?.object {
            let translated = stepResults(results, recordedCase)
            expect["results"] = .object(isTerminated ? translated.mapValues(terminated) : translated)
        }
        return expect
    }

    /// Translates the outcome of the page's promise, whose value has passed through native code.
    private static func reply(_ expect: Tree, _ recordedCase: RecordedCase) -> Tree {
        var expect = expect
        if isUnanswered(expect, recordedCase) {
            let error =
                #"{"t":"error","ctor":"Error","name":"Error","message":"\#(unanswered)","isError":true,"isDOMException":false}"#
            expect["promise"] = ["state": .text("rejected"), "reason": (try? Tree(json: error)) ?? .null]
        } else if let value = expect["promise"]?["value"] {
            expect["promise"]?["value"] = ValueTranslation.handedBack(value)
        }
        return expect
    }

    /// Returns whether the handler released the reply without an answer. GTK then fulfils the promise, and Apple
    /// rejects it.
    private static func isUnanswered(_ expect: Tree, _ recordedCase: RecordedCase) -> Bool {
        guard let last = expect["delivered"]?.array?.last, let name = last["handler"]?.string else { return false }
        let mode = recordedCase.handlers.first { $0.name == name }?.reply
        return mode == "drop" || mode == "decline"
    }

    /// Translates the results of steps that ran in native code. Results of the page stay unchanged.
    private static func stepResults(_ results: [String: Tree], _ recordedCase: RecordedCase) -> [String: Tree] {
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
    private static func terminated(_ result: Tree) -> Tree {
        result["error"] == ["code": 5] ? ["error": ["code": 2]] : result
    }

    private static func entries(_ messages: Tree) -> Tree {
        switch messages {
        case .array(let items): .array(items.map(entry))
        // A long list is recorded as its ends and a hash.
        case .object(var members):
            {
                members["first"] = members["first"].map(entry)
                members["last"] = members["last"].map(entry)
                return .object(members)
            }()
        default: messages
        }
    }

    private static func entry(_ message: Tree) -> Tree {
        guard let body = message["body"] else {
            return message["mark"] == nil ? ValueTranslation.native(message) : message
        }
        var message = message
        message["body"] = ValueTranslation.native(body)
        return message
    }

    private static func nativeResult(_ result: Tree) -> Tree {
        var result = result
        if let value = result["value"] { result["value"] = ValueTranslation.native(value) }
        if let error = result["error"] { result["error"] = nativeError(error) }
        return result
    }

    /// Translates an error to a code of `WKErrorDomain` and the user info that an app can read.
    private static func nativeError(_ error: Tree) -> Tree {
        switch error["code"]?.number {
        case 699:
            var translated: Tree = [
                "code": 4, "message": error["message"] ?? .null, "line": error["line"] ?? 0,
                "column": error["column"] ?? 0,
            ]
            translated["sourceURL"] = error["sourceURL"]
            return translated
        case 601: return ["code": 5]
        case 600: return ["code": 4, "message": .text(badArgument)]
        default: return error
        }
    }
}
