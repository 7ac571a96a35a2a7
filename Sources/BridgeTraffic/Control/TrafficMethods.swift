public import BridgeProtocol

/// Which records a method is about: the params and the filter expression together, all of which must hold.
private func trafficFilter(_ params: inout ParamsReader) throws(RPCError) -> TrafficFilter {
    let fields: [(name: String, field: TrafficFilter.Field, summary: String)] = [
        ("direction", .direction, "toNative or toWeb."),
        ("handler", .handler, "The handler that a message or reply is of."),
        ("name", .name, "What a message's body calls itself."),
        ("page", .page, "A page's id, such as p3."),
        ("webView", .webView, "A web view's name."),
        ("kind", .kind, "message, reply, evaluate, …: see docs/protocol.md, Traffic record."),
    ]
    var filter = TrafficFilter()
    for (name, field, summary) in fields {
        guard let value = try params.optional(name, .string, summary) else { continue }
        filter = filter.and(try term(field, value, name))
    }
    let text = try params.optional(
        "filter", .string, "An expression, such as dir:toNative handler:nativeApp -name:ActionButton.")
    guard let text else { return filter }
    do throws(TrafficFilterError) {
        return filter.and(try TrafficFilter(parsing: text))
    } catch {
        throw error.rpcError
    }
}

private func term(_ field: TrafficFilter.Field, _ value: String, _ name: String) throws(RPCError) -> TrafficFilter {
    do throws(TrafficFilterError) {
        return try TrafficFilter(field, is: value)
    } catch {
        let nearest = error.suggestion.map { " Did you mean \($0)?" } ?? ""
        throw .invalidParams(at: "/\(name)", error.message + nearest)
    }
}

/// `traffic.query`
public struct QueryTraffic: ControlMethod {
    public static let name = "traffic.query"
    public static let summary = "Answers records that are kept, oldest first, and where to read on."
    public static let result: JSONValue = .schema([
        "records": .schema(arrayOf: .shared("TrafficRecord")), "next": .integer,
    ])
    public static let errors: [ControlError] = []

    public let filter: TrafficFilter
    public let after: Int
    public let limit: Int

    public init(_ params: inout ParamsReader) throws(RPCError) {
        filter = try trafficFilter(&params)
        after = try params.optional("after", .count, "Only records with a higher number; 0 unless told.") ?? 0
        limit = try params.optional("limit", .count, "How many to answer at most; 100 unless told.") ?? 100
    }
}

/// `traffic.subscribe`
public struct SubscribeToTraffic: ControlMethod {
    public static let name = "traffic.subscribe"
    public static let summary = """
        Has every record that fits come as a notification traffic.record {subscription, record}, until \
        traffic.unsubscribe or the end of the connection. A tool that reads too slowly gets a record of kind gap in \
        place of those it missed. Only on /control.
        """
    public static let result: JSONValue = .schema(["subscription": .string])
    public static let errors: [ControlError] = []

    public let filter: TrafficFilter
    public let after: Int?

    public init(_ params: inout ParamsReader) throws(RPCError) {
        filter = try trafficFilter(&params)
        after = try params.optional(
            "after", .count, "Also the kept records with a higher number; unless told, what comes from now on.")
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
            "subscription", .string, "The id that traffic.subscribe answered, such as t1.")
    }
}

/// `messages.wait`
public struct WaitForMessage: ControlMethod {
    public static let name = "messages.wait"
    public static let summary = "Waits for the first record that fits, and answers it."
    public static let result: JSONValue = .shared("TrafficRecord")
    public static let errors: [ControlError] = [.waitTimedOut]

    public let filter: TrafficFilter
    public let match: ScriptValue?
    public let after: Int?
    public let timeout: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        let filter = try trafficFilter(&params)
        let namesKind = filter.terms.contains { $0.field == .kind }
        self.filter =
            namesKind ? filter : filter.and(TrafficFilter([.init(.kind, TrafficRecord.Kind.message.rawValue)]))
        match = try params.optional(
            "match", .any, "A subset of the body: objects by the keys given, arrays element by element."
        )
        .map { json throws(RPCError) in try ScriptValue(json: json) }
        after = try params.optional(
            "after", .count, "Records with a higher number count, too; unless told, what comes from now on.")
        timeout = try params.timeout("The time to wait.", default: "5000") ?? .seconds(5)
    }
}
