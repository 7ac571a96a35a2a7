import BridgeProtocol

extension FinishedRequest {
    /// Reads the params of `network.responseCompleted` or `network.fetchError`.
    /// - Returns: nil if it is no request over HTTP.
    init?(firefox params: JSON, fault: String?) {
        guard let request = params["request"], let url = request["url"]?.string, url.hasPrefix("http") else {
            return nil
        }
        let (response, timings) = (params["response"], request["timings"])
        let (began, ended) = (timings?["requestTime"]?.number ?? 0, timings?["responseEnd"]?.number ?? 0)
        let isNavigation = params["navigation"]?.string != nil
        self.init(
            url: url, method: request["method"]?.string ?? "GET",
            type: isNavigation ? "document" : Self.type(request["destination"]?.string),
            status: response?["status"]?.wholeNumber,
            mimeType: response?["mimeType"]?.string.map { String($0.prefix { $0 != ";" }) },
            milliseconds: ended > began ? ended - began : nil, failure: params["errorText"]?.string,
            fault: fault)
    }

    /// - Parameter destination: that of the Fetch standard; older versions do not tell it.
    private static func type(_ destination: String?) -> String {
        switch destination {
        case "document", "iframe", "frame": "document"
        case "style": "stylesheet"
        case "script", "image", "font": destination ?? ""
        case "audio", "video", "track": "media"
        case "": "fetch"
        default: "other"
        }
    }
}
