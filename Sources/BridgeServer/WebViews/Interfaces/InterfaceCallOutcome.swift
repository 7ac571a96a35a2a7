public import BridgeProtocol

/// The outcome of a call of an interface object.
struct InterfaceCallOutcome {
    /// A lossy conversion of an argument. Android does it silently; the daemon records it as a problem.
    struct Coercion {
        let text: String
        let hint: String
    }

    /// The result for the page. An error's `data.exception` is the text that Android's WebView throws (Chromium,
    /// `gin_java_bridge_errors.cc`).
    let result: Result<ScriptValue, RPCError>
    let verdict: Verdict
    let coercions: [Coercion]

    /// Calls the method with this name and number of parameters. If there is none, the result is an error.
    @MainActor init(_ call: CallInterface, of object: JavascriptInterface?, _ context: ScriptMessageContext) {
        guard let object else {
            self.init(.noInterface(call), "Java object is gone", call)
            return
        }
        guard let method = object.methods[call.name] else {
            self.init(.unknownMethod(call, object.names), "Method not found", call)
            return
        }
        let arguments = call.arguments
        guard method.takes(arguments.count) else {
            self.init(.argumentCount(call, method), "Method not found", call)
            return
        }
        let thrown = "Java exception was raised during method invocation"
        do {
            let value = try method.call(context, arguments)
            self.init(result: .success(value), verdict: .handled, coercions: method.coercions(call))
        } catch let dropped as DroppedMessage {
            self.init(
                result: .success(.undefined), verdict: dropped.verdict, coercions: method.coercions(call))
        } catch let refused as RefusedArgument {
            self.init(.nullArgument(refused), thrown, call)
        } catch {
            self.init(.handlerFailed(error, name: call.title), thrown, call)
        }
    }

    /// The verdict with which a call would be refused; nil if there is such a method. Nothing is called.
    static func refusal(of call: CallInterface, by object: JavascriptInterface?) -> Verdict? {
        guard let object else { return .noInterface(call) }
        guard let method = object.methods[call.name] else { return .unknownMethod(call, object.names) }
        return method.takes(call.arguments.count) ? nil : .argumentCount(call, method)
    }

    private init(result: Result<ScriptValue, RPCError>, verdict: Verdict, coercions: [Coercion]) {
        self.result = result
        self.verdict = verdict
        self.coercions = coercions
    }

    private init(_ verdict: Verdict, _ exception: String, _ call: CallInterface) {
        let text = [call.title, sentence("was \(verdict)"), verdict.hint].compactMap(\.self).joined(separator: " ")
        let data: JSONValue = ["exception": .string("Error invoking \(call.name): \(exception)")]
        result = .failure(RPCError(.handlerRejected, text, data: data))
        self.verdict = verdict
        coercions = []
    }
}

extension CallInterface {
    /// `Device.buy`
    var title: String { "\(message.handler.forText).\(name.forText)" }
}

extension JavascriptInterface.Method {
    fileprivate func coercions(_ call: CallInterface) -> [InterfaceCallOutcome.Coercion] {
        coercions(of: call.arguments).map { index, value, type in
            InterfaceCallOutcome.Coercion(
                text: "\(call.title) has \(type) as parameter \(index + 1), and got \(value.summary).",
                hint:
                    "Android converts it silently: an object or undefined to \"undefined\" for a String, anything but a "
                    + "number to 0, anything but a boolean to false. Pass the right type.")
        }
    }
}

extension ProblemCode {
    /// No interface object of that name is registered any more.
    public static let noInterface = Self("noInterface", page: "write-a-handler.md#interface-objects")
    /// The interface object has no method of that name.
    public static let unknownMethod = Self("unknownMethod", page: "write-a-handler.md#interface-objects")
    /// The method takes a different number of arguments.
    public static let argumentCount = Self("argumentCount", page: "write-a-handler.md#interface-objects")
}

extension Verdict {
    fileprivate static func noInterface(_ call: CallInterface) -> Verdict {
        // A dialog is a call of a method of `window`, such as `alert`.
        if call.dialogKind != nil {
            return Verdict(
                .dropped, reason: .noInterface, expected: "an answer to the dialog", found: "nothing",
                hint: "It was dismissed. \(call.dialogKind.map(\.advice) ?? "")")
        }
        return Verdict(
            .dropped, reason: .noInterface, expected: "an interface object", found: call.message.handler.forText,
            hint: "It was removed after the page had loaded: reload the page, or register it again.")
    }

    fileprivate static func unknownMethod(_ call: CallInterface, _ names: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: call.name, in: names).map { "Did you mean \($0)? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownMethod,
            expected: names.isEmpty ? "a method" : "one of \(names.joined(separator: ", "))",
            found: call.name.forText,
            hint: "\(nearest)Name it under interfaces: in bridged.yml. In Swift, add it to the JavascriptInterface: "
                + "object.method(\"\(call.name.forText)\") { … }.")
    }

    fileprivate static func argumentCount(_ call: CallInterface, _ method: JavascriptInterface.Method) -> Verdict {
        let count = method.parameters?.count ?? 0
        return Verdict(
            .dropped, reason: .argumentCount,
            expected: "\(count) argument\(count == 1 ? "" : "s") \(method.signature)",
            found: "\(call.arguments.count)",
            hint: "Android finds a method by its name and the number of its arguments: pass them all.")
    }

    fileprivate static func nullArgument(_ refused: RefusedArgument) -> Verdict {
        Verdict(
            .dropped, reason: .undecodable, expected: refused.type, found: "null", at: "/\(refused.index)",
            hint: "Kotlin refuses null for a type that is not nullable: pass a string. In Swift, take \(refused.type)?."
        )
    }
}
