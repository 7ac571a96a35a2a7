/// JSON Schemas (draft 7, as OpenRPC asks) of what the control methods answer.
extension JSONLiteral {
    static func type(_ name: String) -> JSONLiteral { ["type": .string(name)] }

    /// An object whose members are all there.
    static func schema(_ members: KeyValuePairs<String, JSONLiteral>) -> JSONLiteral {
        schema(members, optional: [:])
    }

    static func schema(
        _ members: KeyValuePairs<String, JSONLiteral>, optional: KeyValuePairs<String, JSONLiteral>
    ) -> JSONLiteral {
        let all = members.map { Member($0.key, $0.value) } + optional.map { Member($0.key, $0.value) }
        return [
            "type": "object", "properties": .object(all), "required": .array(members.map { .string($0.key) }),
        ]
    }

    static func schema(arrayOf element: JSONLiteral) -> JSONLiteral { ["type": "array", "items": element] }

    /// A schema of the document's `components`.
    static func shared(_ name: String) -> JSONLiteral { ["$ref": .string("#/components/schemas/\(name)")] }

    /// `{}`: a method that has nothing to tell but that it is done.
    static let emptyResult = schema([:])
    static let string = type("string")
    static let integer = type("integer")
    static let number = type("number")
    static let bool = type("boolean")
    static let strings = schema(arrayOf: .string)
}

/// The schemas that several methods refer to.
enum SharedSchemas {
    static let all: [JSONLiteral.Member] = [
        .init("ScriptValue", scriptValue), .init("Page", page), .init("Handler", handler), .init("Stub", stub),
        .init("Verdict", verdict), .init("TrafficRecord", record),
    ]

    private static let scriptValue: JSONLiteral = .schema(["value": [:]], optional: ["types": types])

    private static let types: JSONLiteral = [
        "type": "object",
        "additionalProperties": ["enum": ["undefined", "date", "number", "ref", "utf16"]],
    ]

    private static let page: JSONLiteral = .schema(
        [
            "page": .string, "webView": .string,
            "frame": .schema(["url": .string, "origin": .string, "isMainFrame": .bool]),
            "title": .string, "readyState": .string, "userAgent": .string, "attachedAt": .string,
            "attached": .bool,
        ],
        optional: ["status": .integer])

    private static let handler: JSONLiteral = .schema(
        [
            "handler": .string, "kind": ["enum": ["builtIn", "stub"]], "replies": .bool, "messages": .integer,
            "stubs": .schema(arrayOf: .shared("Stub")),
        ],
        optional: ["webView": .string])

    private static let stub: JSONLiteral = .schema(
        ["stub": .string, "handler": .string, "reply": .type("object"), "hits": .integer],
        optional: ["webView": .string, "match": [:], "delayMs": .number])

    private static let verdict: JSONLiteral = .schema(
        [
            "outcome": [
                "enum": ["handled", "awaitingReply", "replied", "rejected", "timedOut", "pageGone", "dropped"]
            ]
        ],
        optional: [
            "reason": .string, "expected": .string, "found": .string, "at": .string, "hint": .string,
            "stub": .string,
        ])

    private static let record: JSONLiteral = .schema(
        [
            "record": .integer, "time": .string, "direction": ["enum": ["toNative", "toWeb"]], "kind": .string,
        ],
        optional: ["page": .string, "webView": .string, "url": .string])
}
