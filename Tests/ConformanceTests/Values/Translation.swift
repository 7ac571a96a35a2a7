/// From what was recorded of WebKitGTK to what Apple's API gives: the README's "Apple vs GTK".
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

    /// What the page's promise becomes. The value has been native in between.
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

    /// GTK fulfils where Apple rejects: the handler let go of the reply.
    private static func isUnanswered(_ expect: Tree, _ recordedCase: RecordedCase) -> Bool {
        guard let last = expect["delivered"]?.array?.last, let name = last["handler"]?.string else { return false }
        let mode = recordedCase.handlers.first { $0.name == name }?.reply
        return mode == "drop" || mode == "decline"
    }

    /// Steps that ask native code have native results; the page's own are as they are.
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

    /// What waited for a process that ended has no result in GTK, and an error of its own on Apple's systems.
    private static func terminated(_ result: Tree) -> Tree {
        result["error"] == ["code": 5] ? ["error": ["code": 2]] : result
    }

    private static func entries(_ messages: Tree) -> Tree {
        switch messages {
        case .array(let items): .array(items.map(entry))
        // A long list: its ends, and a hash over the rest.
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

    /// `WKErrorDomain`'s codes and what an app finds beside them.
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
