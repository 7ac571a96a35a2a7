/// JSON Schemas of the results of control methods (draft 7, which OpenRPC requires).
extension JSONValue {
    static func type(_ name: String) -> JSONValue { ["type": .string(name)] }

    /// The schema of an object with these required members.
    package static func schema(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        schema(members, optional: [:])
    }

    static func schema(
        _ members: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        let all = members.map { Member($0.key, $0.value) } + optional.map { Member($0.key, $0.value) }
        return [
            "type": "object", "properties": .object(all), "required": .array(members.map { .string($0.key) }),
        ]
    }

    package static func schema(arrayOf element: JSONValue) -> JSONValue { ["type": "array", "items": element] }

    /// A reference to a schema in the document's `components`.
    package static func shared(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    /// The schema of `{}`, the result of a method that returns nothing.
    package static let emptyResult = schema([:])
    package static let string = type("string")
    package static let integer = type("integer")
    package static let number = type("number")
    package static let bool = type("boolean")
    package static let strings = schema(arrayOf: .string)
}

/// The schemas that several methods refer to.
enum SharedSchemas {
    static let all: [JSONValue.Member] = [
        .init("ScriptValue", scriptValue), .init("Page", page), .init("Handler", handler), .init("Stub", stub),
        .init("Verdict", verdict), .init("TrafficRecord", record),
    ]

    private static let scriptValue: JSONValue = .schema(["value": [:]], optional: ["types": types])

    private static let types: JSONValue = [
        "type": "object",
        "additionalProperties": ["enum": ["undefined", "date", "number", "ref", "utf16"]],
    ]

    private static let page: JSONValue = .schema(
        [
            "page": .string, "webView": .string,
            "frame": .schema(["url": .string, "origin": .string, "isMainFrame": .bool]),
            "title": .string, "readyState": .string, "userAgent": .string, "attachedAt": .string,
            "attached": .bool,
        ],
        optional: [
            "node": .string, "status": .integer, "engine": .string, "device": .bool, "model": .string,
            "system": .string, "framework": .string, "deviceId": .string, "address": .string, "visibility": .string,
        ])

    private static let handler: JSONValue = .schema(
        [
            "handler": .string, "kind": ["enum": ["builtIn", "stub"]], "replies": .bool, "messages": .integer,
            "stubs": .schema(arrayOf: .shared("Stub")),
        ],
        optional: ["webView": .string])

    private static let stub: JSONValue = .schema(
        ["stub": .string, "handler": .string, "reply": .type("object"), "hits": .integer],
        optional: ["webView": .string, "match": [:], "delayMs": .number])

    private static let verdict: JSONValue = .schema(
        [
            "outcome": [
                "enum": [
                    "handled", "awaitingReply", "replied", "rejected", "timedOut", "pageGone", "dropped", "observed",
                ]
            ]
        ],
        optional: [
            "reason": .string, "expected": .string, "found": .string, "at": .string, "hint": .string,
            "stub": .string,
        ])

    private static let record: JSONValue = .schema(
        [
            "record": .integer, "time": .string, "direction": ["enum": ["toNative", "toWeb"]], "kind": .string,
        ],
        optional: ["page": .string, "webView": .string, "url": .string])
}
