/// `daemon.info`
public struct DaemonInfo: ControlMethod {
    public static let name = "daemon.info"
    public static let summary = "Says what daemon this is, where it listens, its limits and what it has counted."
    public static let result: JSONValue = .schema([
        "name": .string, "version": .string, "pid": .integer, "startedAt": .string, "uptimeMs": .number,
        "url": .string, "addresses": .strings, "limits": .type("object"), "counters": .type("object"),
    ])
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `pages.list`
public struct ListPages: ControlMethod {
    public static let name = "pages.list"
    public static let summary = "Lists every document that is attached, or away and may come back, oldest first."
    public static let result: JSONValue = .schema(["pages": .schema(arrayOf: .shared("Page"))])
    public static let errors: [ControlError] = []

    public init(_ params: inout ParamsReader) {}
}

/// `pages.wait`
public struct WaitForPage: ControlMethod {
    public static let name = "pages.wait"
    public static let summary = "Waits until a web view shows a document whose URL fits, and answers that page."
    public static let result: JSONValue = .shared("Page")
    public static let errors: [ControlError] = [.waitTimedOut]

    public let webView: String
    public let url: URLGlob?
    public let timeout: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        webView = try params.optional("webView", .string, "A web view's name; main unless told.") ?? "main"
        url = try params.optional(
            "url", .string, "The whole URL, with * for any characters: *://localhost:*/customers/*."
        )
        .map(URLGlob.init)
        timeout = try params.timeout("How long to wait;", default: "5000") ?? .seconds(5)
    }
}

/// `page.navigate`
public struct NavigatePage: ControlMethod {
    public static let name = "page.navigate"
    public static let summary = "Has a page load an address, load again, or go through its tab's history."
    public static let result = JSONValue.schema(["page": .string])
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let navigation: PageNavigation
    public let timeout: Duration?

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        let url = try params.optional("url", .string, "The address to load; resolved against the page's.")
        let reload = try params.optional("reload", .bool, "true loads the page again.")
        let delta = try params.optional("delta", .integer, "Steps in the session history; negative ones go back.")
        timeout = try params.timeout("How long to wait for a page;", default: "5000")
        switch (url, reload, delta) {
        case (let url?, nil, nil): navigation = .url(url)
        case (nil, true?, nil): navigation = .reload
        case (nil, nil, let delta?): navigation = .delta(delta)
        default: throw .invalidParams(at: "", "expected one of url, reload: true and delta")
        }
    }
}
