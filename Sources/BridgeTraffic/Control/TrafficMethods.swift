public import BridgeProtocol

extension TrafficFilter {
    /// The size of the longest expression or value that a client may send.
    private static let maximumBytes = 64 << 10

    /// The params with which control methods and `GET /traffic` select records. Each becomes a term of the filter.
    public static let params: [(name: String, field: Field, summary: String)] = [
        ("direction", .direction, "toNative or toWeb."),
        ("handler", .handler, "The handler of a message or reply."),
        ("name", .name, "The member name of a message's body."),
        ("node", .node, "A node of the cluster; by default all nodes."),
        ("page", .page, "A page's id, such as p3."),
        ("webView", .webView, "A web view's name."),
        ("kind", .kind, "message, reply, evaluate, …: see docs/protocol.md, Traffic record."),
    ]

    /// A filter from the values of ``params`` and of the param `filter`, an expression. All of them must hold.
    /// - Parameter read: returns the text of a param, given its name and summary; nil if it is absent.
    /// - Throws: `invalidParams` for a value that a field cannot have, a text that is too long, or an expression with a
    ///   mistake.
    public init(
        _ read: (_ name: String, _ summary: String) throws(RPCError) -> String?
    ) throws(RPCError) {
        self.init()
        func value(_ name: String, _ summary: String) throws(RPCError) -> String? {
            let text = try read(name, summary)
            guard let length = text?.utf8.count, length > TrafficFilter.maximumBytes else { return text }
            throw .invalidParams(
                at: "/\(name)", "expected at most \(TrafficFilter.maximumBytes) bytes, found \(length)")
        }
        for (name, field, summary) in TrafficFilter.params {
            guard let text = try value(name, summary) else { continue }
            do throws(TrafficFilterError) {
                self = and(try TrafficFilter(field, is: text))
            } catch {
                let nearest = error.suggestion.map { " Did you mean \($0)?" } ?? ""
                throw .invalidParams(at: "/\(name)", error.message + nearest)
            }
        }
        let summary = "An expression, such as dir:toNative handler:nativeApp -name:ActionButton."
        guard let expression = try value("filter", summary) else { return }
        do throws(TrafficFilterError) {
            self = and(try TrafficFilter(parsing: expression))
        } catch {
            throw error.rpcError
        }
    }

    fileprivate init(_ params: inout ParamsReader) throws(RPCError) {
        try self.init { name, summary throws(RPCError) in try params.optional(name, .string, summary) }
    }
}

/// `traffic.query`
public struct QueryTraffic: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "traffic.query"
    public static let summary = """
        Returns kept records, oldest first, the value of after for the next query, and whether there are more: an answer \
        ends with the record with which it has max-message-bytes.
        """
    public static let result: JSONValue = .schema([
        "records": .schema(arrayOf: .shared("TrafficRecord")), "next": .integer, "more": .bool,
    ])

    public let filter: TrafficFilter
    public let after: Int
    public let limit: Int

    public init(_ params: inout ParamsReader) throws(RPCError) {
        filter = try TrafficFilter(&params)
        after = try params.optional("after", .count, "Only records with a higher number; 0 by default.") ?? 0
        limit = try params.optional("limit", .count, "The greatest number of records to return; 100 by default.") ?? 100
    }
}

/// `traffic.subscribe`
public struct SubscribeToTraffic: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "traffic.subscribe"
    public static let summary = """
        Sends every matching record as a notification traffic.record {subscription, record}, until \
        traffic.unsubscribe or the end of the connection. A tool that reads too slowly gets a record of kind gap in \
        place of those it missed. Only on /control.
        """
    public static let result: JSONValue = .schema(["subscription": .string])

    public let filter: TrafficFilter
    public let after: Int?

    public init(_ params: inout ParamsReader) throws(RPCError) {
        filter = try TrafficFilter(&params)
        after = try params.optional(
            "after", .count, "Also send kept records with a higher number; by default only new ones.")
    }
}

/// `traffic.unsubscribe`
public struct UnsubscribeFromTraffic: ControlMethod {
    public static let name = "traffic.unsubscribe"
    public static let summary = "Ends a subscription of this connection."
    public static let result: JSONValue = .emptyResult
    public static let errors: [ControlError] = [.noSuchSubscription]

    public let subscription: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        subscription = try params.required(
            "subscription", .string, "The id that traffic.subscribe returned, such as t1.")
    }
}

/// `traffic.note`
public struct NoteInTraffic: ControlMethod {
    public static let name = "traffic.note"
    public static let summary = """
        Writes a record with a text of a tool, such as the name of the test that begins: kind app, event note.
        """
    public static let result: JSONValue = .schema(["record": .integer])

    /// The size of the longest text.
    private static let maximumBytes = 8 << 10

    public let text: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        text = try params.required("text", .string, "The text, of at most 8 KiB.")
        guard text.utf8.count <= NoteInTraffic.maximumBytes else {
            throw .invalidParams(
                at: "/text", "expected at most \(NoteInTraffic.maximumBytes) bytes, found \(text.utf8.count)")
        }
    }
}

/// `messages.wait`
public struct WaitForMessage: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "messages.wait"
    public static let summary = "Waits for the first matching record, and returns it."
    public static let result: JSONValue = .shared("TrafficRecord")
    public static let errors: [ControlError] = [.waitTimedOut]

    public let filter: TrafficFilter
    public let match: ScriptValue?
    public let after: Int?
    public let timeout: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        let filter = try TrafficFilter(&params)
        let namesKind = filter.terms.contains { $0.field == .kind }
        self.filter =
            namesKind ? filter : filter.and(TrafficFilter([.init(.kind, TrafficRecord.Kind.message.rawValue)]))
        match = try params.optional(
            "match", .any, "A subset of the body: objects by the keys given, arrays element by element."
        )
        .map { json throws(RPCError) in try ScriptValue(json: json) }
        after = try params.optional(
            "after", .count, "Kept records with a higher number count, too; by default only new ones.")
        timeout = try params.timeout("The time to wait.")
    }
}
