import BridgeProtocol
import CWebKitGTK

/// Turns values of JavaScriptCore into the form in which they are sent, and back.
///
/// A value belongs to a context. WebKit gives all values of pages to this process in one context, and reads replies with
/// it: the collector of another context would free parts of them. WebKit makes a new context when it has not needed the
/// old one for ten seconds.
@MainActor final class ScriptValueCodec {
    /// The reason why a value cannot cross, such as its depth.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    private let context: GObject<JSCContext>
    private let encodeBody: GObject<JSCValue>
    private let encodeValue: GObject<JSCValue>
    private let decode: GObject<JSCValue>

    /// That of the context in which WebKit gave the latest value.
    private static var latest: (codec: ScriptValueCodec, used: ContinuousClock.Instant)?
    /// WebKit keeps its context twice as long.
    private static let lifetime = Duration.seconds(5)

    /// The codec for a value that WebKit has given.
    static func of(_ value: GObject<JSCValue>) -> ScriptValueCodec {
        let context = jsc_value_get_context(value.pointer)
        let codec =
            if let latest, latest.codec.context.pointer == context {
                latest.codec
            } else {
                ScriptValueCodec(context.map { GObject($0) } ?? GObject(adopting: jsc_context_new()))
            }
        latest = (codec, .now)
        return codec
    }

    /// The codec for replies; nil if WebKit may have another context by now, until it gives another value.
    static var current: ScriptValueCodec? {
        latest.flatMap { ContinuousClock.now - $0.used < lifetime ? $0.codec : nil }
    }

    init(_ context: GObject<JSCContext>) {
        self.context = context
        let functions = GObject(adopting: jsc_context_evaluate(context.pointer, ValueScript.source, -1))
        encodeBody = GObject(adopting: jsc_value_object_get_property(functions.pointer, "encodeBody"))
        encodeValue = GObject(adopting: jsc_value_object_get_property(functions.pointer, "encodeValue"))
        decode = GObject(adopting: jsc_value_object_get_property(functions.pointer, "decode"))
    }

    /// The members `"body":…` and, if needed, `"types":…` of a message.
    func body(_ value: GObject<JSCValue>) throws(Refusal) -> String { try members(encodeBody, value) }

    /// The members `"value":…` and, if needed, `"types":…` of a result.
    func value(_ value: GObject<JSCValue>) throws(Refusal) -> String { try members(encodeValue, value) }

    private func members(_ function: GObject<JSCValue>, _ value: GObject<JSCValue>) throws(Refusal)
        -> String
    {
        let text = ScriptValueCodec.text(of: call(function, [value]))
        guard text.utf8.first != UInt8(ascii: "!") else { throw Refusal(reason: String(text.dropFirst())) }
        return text
    }

    /// Makes a value for a page.
    /// - Parameters:
    ///   - json: the value as JSON text.
    ///   - types: its table of types as JSON text, or nil.
    func make(json: String, types: String?) -> GObject<JSCValue> {
        let json = GObject(adopting: jsc_value_new_string(context.pointer, json))
        let types = GObject(adopting: jsc_value_new_string(context.pointer, types ?? "{}"))
        return call(decode, [json, types])
    }

    private(set) lazy var undefined = GObject(adopting: jsc_value_new_undefined(context.pointer))

    /// Evaluates a script in this context.
    func evaluate(_ source: String) -> GObject<JSCValue> {
        GObject(adopting: jsc_context_evaluate(context.pointer, source, -1))
    }

    private func call(_ function: GObject<JSCValue>, _ arguments: [GObject<JSCValue>]) -> GObject<JSCValue> {
        withExtendedLifetime(arguments) {
            var pointers = arguments.map { Optional($0.pointer) }
            return GObject(adopting: jsc_value_function_callv(function.pointer, UInt32(pointers.count), &pointers))
        }
    }

    static func text(of value: GObject<JSCValue>) -> String {
        guard let characters = jsc_value_to_string(value.pointer) else { return "" }
        defer { g_free(characters) }
        return String(cString: characters)
    }
}
