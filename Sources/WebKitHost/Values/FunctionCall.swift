import BridgeProtocol
import CWebKitGTK

/// The body and the arguments of an asynchronous function, in the form that WebKitGTK takes.
///
/// WebKitGTK carries numbers and strings, where Apple's API also takes booleans, null, dates, arrays and objects. If
/// there are such arguments, the function gets all of them as a literal.
struct FunctionCall {
    let body: String
    private let carried: [(name: String, value: ScriptValue)]

    init(body: String, arguments: ScriptValue) {
        var list: [(name: String, value: ScriptValue)] = []
        arguments.json.forEachMember { name, _ in
            if let value = arguments.child(name) { list.append((name, value)) }
        }
        if list.allSatisfy({ FunctionCall.isCarried($0.value) }) {
            self.body = body
            carried = list
        } else {
            self.body = FunctionCall.body(body, names: list.map(\.name), literal: arguments)
            carried = []
        }
    }

    /// A body that calls a function with members of an object. It has one line, so that a body which ends in a comment
    /// fails as it does in WebKit.
    private static func body(_ body: String, names: [String], literal arguments: ScriptValue) -> String {
        var literal = JSONWriter(escaping: .html)
        arguments.writeJavaScript(to: &literal)
        let members = names.map { name in
            var key = JSONWriter(escaping: .html)
            key.string(name)
            return "o[\(key.text)]"
        }
        // WebKit sets the prototype of an object whose member is named so.
        let text = literal.text.replacing(#"["__proto__"]:"#, with: #""__proto__":"#)
        let (names, values) = (names.joined(separator: ","), members.joined(separator: ","))
        return "return await ((f,o)=>f(\(values)))(async function(\(names)){\(body)},\(text))"
    }

    private static func isCarried(_ value: ScriptValue) -> Bool {
        switch value.kind {
        case .number: true
        case .string: value.types == nil && value.string?.contains("\0") == false
        default: false
        }
    }

    /// The arguments as a floating GVariant of the type `a{sv}`; nil if there are none.
    func makeArguments() -> OpaquePointer? {
        guard !carried.isEmpty else { return nil }
        let builder = bridged_arguments_new()
        defer { g_variant_builder_unref(builder) }
        for (name, value) in carried {
            let variant = value.number.map(g_variant_new_double) ?? g_variant_new_string(value.string ?? "")
            bridged_arguments_add(builder, name, variant)
        }
        return g_variant_builder_end(builder)
    }
}
