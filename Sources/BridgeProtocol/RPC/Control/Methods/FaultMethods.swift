/// `faults.add`
public struct AddFault: ControlMethod {
    public static let name = "faults.add"
    public static let summary = """
        Lets requests of driven browsers fail, take long or get another response, until the fault is removed. If \
        several faults are for a request, the newest one counts.
        """
    public static let result: JSONValue = .schema(["fault": .string])

    public let fault: Fault
    public let webView: String?

    public init(_ params: inout ParamsReader) throws(RPCError) {
        let url = try params.required(
            "url", .string, "A path, on any host, or a whole URL. * matches anything. The query counts if it has one.")
        let kind = try params.required(
            "kind", .oneOf(Fault.Name.offline),
            "offline: no connection; slow: after delayMs; status: that status; cut: the response is lost; missing: 404."
        )
        let delay = try params.optional("delayMs", .milliseconds, "How much later a slow request is sent.")
        let status = try params.optional("status", .integer, "The status of the response.")
        let times = try params.optional("times", .count, "How many requests the fault is for. Default: any number.")
        webView = try params.optional("webView", .string, "Limits the fault to the pages of this web view.")
        do throws(Fault.Mistake) {
            fault = try Fault(url: url, kind, delay: delay, status: status, times: times)
        } catch {
            throw .invalidParams(at: "/kind", error.description)
        }
    }
}

/// `faults.remove`
public struct RemoveFault: ControlMethod {
    public static let name = "faults.remove"
    public static let summary = "Removes a fault."
    public static let result: JSONValue = .emptyResult
    public static let errors: [ControlError] = [.noSuchFault]

    public let fault: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        fault = try params.required("fault", .string, "The id that faults.add returned, such as f1.")
    }
}

/// `faults.list`
public struct ListFaults: ControlMethod {
    public static let name = "faults.list"
    public static let summary = "Lists the faults, oldest first, with the number of requests that each was for so far."
    public static let result: JSONValue = .schema(["faults": .schema(arrayOf: fault)])

    private static let fault: JSONValue = .schema(
        ["fault": .string, "url": .string, "kind": .string, "hits": .integer],
        optional: ["delayMs": .number, "status": .integer, "times": .integer, "webView": .string])

    public init(_ params: inout ParamsReader) {}
}
