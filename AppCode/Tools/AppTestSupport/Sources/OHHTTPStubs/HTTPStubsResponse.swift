public import Foundation

/// What a stub answers: a status, header fields and a body, or an error.
open class HTTPStubsResponse {
    public let statusCode: Int32
    public let httpHeaders: [String: String]
    public let data: Data
    public let error: (any Error)?
    /// How many seconds pass before the response.
    open var requestTime: TimeInterval = 0
    /// How many seconds pass before the body. A negative number is a speed in kilobytes a second in OHHTTPStubs; here the
    /// body comes at once then.
    open var responseTime: TimeInterval = 0

    public init(data: Data, statusCode: Int32, headers: [AnyHashable: Any]?) {
        self.data = data
        self.statusCode = statusCode
        let fields = (headers ?? [:]).map { ("\($0.key)", "\($0.value)") }
        httpHeaders = Dictionary(fields) { $1 }
        error = nil
    }

    public init(error: any Error) {
        self.error = error
        (data, statusCode, httpHeaders) = (Data(), 0, [:])
    }

    /// A response with JSON. It has that content type unless the fields say otherwise.
    public convenience init(jsonObject: Any, statusCode: Int32, headers: [AnyHashable: Any]?) {
        let data = (try? JSONSerialization.data(withJSONObject: jsonObject)) ?? Data()
        self.init(
            data: data, statusCode: statusCode,
            headers: ["Content-Type": "application/json"].merging(headers ?? [:]) { $1 })
    }
}
