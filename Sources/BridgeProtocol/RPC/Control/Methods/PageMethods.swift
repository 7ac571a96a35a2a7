/// `daemon.info`
public struct DaemonInfo: ControlMethod {
    public static let name = "daemon.info"
    public static let summary = "Returns the daemon's version, addresses, limits and counters."
    public static let result: JSONValue = .schema([
        "name": .string, "version": .string, "pid": .integer, "startedAt": .string, "uptimeMs": .number,
        "url": .string, "addresses": .strings, "appOrigins": .strings, "limits": .type("object"),
        "counters": .type("object"),
    ])

    public init(_ params: inout ParamsReader) {}
}

/// `nodes.list`
public struct ListNodes: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "nodes.list"
    public static let summary = "Lists the daemons of the cluster, this one first."
    public static let result: JSONValue = .schema([
        "nodes": .schema(
            arrayOf: .schema(
                ["node": .string, "url": .string, "host": .string, "pid": .integer, "version": .string],
                optional: [
                    "startedAt": .string, "pages": .integer, "handlers": .strings,
                    "stubs": .schema(arrayOf: .schema(["stub": .string, "handler": .string])),
                ]))
    ])

    public init(_ params: inout ParamsReader) {}
}

/// `pages.list`
public struct ListPages: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "pages.list"
    public static let summary = """
        Lists every document that is attached or may reconnect, oldest first, and names the page that the user sees.
        """
    public static let result: JSONValue = .schema(
        ["pages": .schema(arrayOf: .shared("Page"))], optional: ["visible": .string, "incomplete": .string])

    public init(_ params: inout ParamsReader) {}
}

/// `pages.wait`
public struct WaitForPage: ControlMethod {
    public static let isAboutAllNodes = true
    public static let name = "pages.wait"
    public static let summary = """
        Waits until the visible screen or a web view shows a document whose URL matches, and returns that page.
        """
    public static let result: JSONValue = .shared("Page")
    public static let errors: [ControlError] = [.waitTimedOut]

    /// Nil for the page that the user sees.
    public let webView: String?
    public let url: URLPattern?
    public let readiness: PageReadiness
    public let timeout: Duration

    public init(_ params: inout ParamsReader) throws(RPCError) {
        webView = try params.optional(
            "webView", .string, "The web view's name. Default: the one that the user sees.")
        url = try params.optional(
            "url", .string, "A path, or else a whole URL, with * for any characters: /customers/*."
        )
        .map(URLPattern.init)
        readiness =
            try params.optional(
                "until", .oneOf(PageReadiness.load),
                "load waits for the document's load event, too, and for the app's visit of it. Default: attached."
            ) ?? .attached
        timeout = try params.timeout("The time to wait.")
    }
}

/// `page.navigate`
public struct NavigatePage: ControlMethod {
    public static let name = "page.navigate"
    public static let summary = "Makes a page load a URL, reload, or move in its tab's history."
    public static let result = JSONValue.schema(["page": .string])
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let navigation: PageNavigation
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        let url = try params.optional("url", .string, "The URL to load, resolved against the page's URL.")
        let reload = try params.optional("reload", .bool, "true reloads the page.")
        let delta = try params.optional(
            "delta", .integer, "The steps to move in the session history. Negative steps go back.")
        timeout = try params.pageTimeout("The time to wait for a page.")
        switch (url, reload, delta) {
        case (let url?, nil, nil): navigation = .url(url)
        case (nil, true?, nil): navigation = .reload
        case (nil, nil, let delta?): navigation = .delta(delta)
        default: throw .invalidParams(at: "", "expected one of url, reload: true and delta")
        }
    }
}

/// `page.snapshot`
public struct SnapshotPage: ControlMethod {
    public static let name = "page.snapshot"
    public static let summary = "Takes a picture of what a driven browser shows, as a PNG file in Base64."
    public static let result = JSONValue.schema(["data": .string])
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        timeout = try params.pageTimeout("The time to wait for a page and its picture.")
    }
}

/// `page.input`
public struct InputIntoPage: ControlMethod {
    public static let name = "page.input"
    public static let summary = "Taps, scrolls or types in a driven browser, as its user would."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let input: PageInput
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        input = try PageInput(&params)
        timeout = try params.pageTimeout("The time to wait for a page.")
    }
}

/// `page.act`
public struct ActOnElement: ControlMethod {
    public static let name = "page.act"
    public static let summary = """
        Waits for an element and does to it what a user does: in a driven browser with real input, if the user can reach the \
        element, and in a page with the script tag by events of a script.
        """
    public static let result: JSONValue = .schema([:], optional: ["note": .string])
    public static let errors = ControlError.addressing + [.documentGone, .javaScriptException, .queueFull]

    public let address: PageAddress
    public let action: ElementAction
    public let timeout: Duration

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        timeout = try params.timeout("The time to wait for the element.")
        action = try ElementAction(&params)
    }
}

/// `page.expect`
public struct ExpectOfPage: ControlMethod {
    public static let name = "page.expect"
    public static let summary = "Waits until a page, or the page that replaces it, shows what is expected."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.addressing + [.documentGone, .javaScriptException, .queueFull]

    public let address: PageAddress
    public let expectation: PageExpectation
    public let timeout: Duration

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        timeout = try params.timeout("The time to wait.")
        expectation = try PageExpectation(&params)
    }
}

/// `page.emulate`
public struct EmulateScreen: ControlMethod {
    public static let name = "page.emulate"
    public static let summary = "Gives a driven browser's page another size, or other colours to prefer."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let emulation: PageEmulation
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        emulation = try PageEmulation(&params)
        timeout = try params.pageTimeout("The time to wait for a page.")
    }
}

/// `cookies.list`
public struct ListCookies: ControlMethod {
    public static let name = "cookies.list"
    public static let summary = "Returns the cookies of a driven browser, those that are HttpOnly, too."
    public static let result: JSONValue = .schema([
        "cookies": .schema(
            arrayOf: .schema(
                [
                    "name": .string, "value": .string, "domain": .string, "path": .string, "secure": .bool,
                    "httpOnly": .bool,
                ], optional: ["expires": .number]))
    ])
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let timeout: Duration?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        timeout = try params.pageTimeout("The time to wait for a page.")
    }
}

/// `cookies.set`
public struct SetCookie: ControlMethod {
    public static let name = "cookies.set"
    public static let summary = "Sets a cookie in a driven browser."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let timeout: Duration?
    private let name: String
    private let value: String
    private let domain: String?
    private let path: String
    private let isSecure: Bool
    private let isHTTPOnly: Bool
    private let expires: Double?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        name = try params.required("name", .string, "The cookie's name.")
        value = try params.required("value", .string, "Its value.")
        domain = try params.optional("domain", .string, "The host that gets it. Default: that of the page.")
        path = try params.optional("path", .string, "The path below which it is sent. Default: /.") ?? "/"
        isSecure = try params.optional("secure", .bool, "Whether it is sent over https only. Default: false.") ?? false
        isHTTPOnly =
            try params.optional("httpOnly", .bool, "Whether scripts do not see it. Default: false.") ?? false
        expires = try params.optional(
            "expires", .count, "When it ends, in seconds since 1970. Default: with the browser."
        )
        .map(Double.init)
        timeout = try params.pageTimeout("The time to wait for a page.")
    }

    /// The cookie.
    /// - Parameter host: that of the page; empty if it has none.
    /// - Throws: `invalidParams` if neither the call nor the page names a host.
    package func cookie(onPageOf host: String) throws(RPCError) -> BrowserCookie {
        guard let domain = domain ?? (host.isEmpty ? nil : host) else {
            throw .invalidParams(at: "/domain", "expected a host, because the page has none; found nothing")
        }
        return BrowserCookie(
            name: name, value: value, domain: domain, path: path, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            expires: expires)
    }
}

/// `cookies.clear`
public struct ClearCookies: ControlMethod {
    public static let name = "cookies.clear"
    public static let summary = "Deletes cookies of a driven browser: all, or those with a name, a host or a path."
    public static let result: JSONValue = .emptyResult
    public static let errors = ControlError.addressing + [.documentGone]

    public let address: PageAddress
    public let timeout: Duration?
    private let name: String?
    private let domain: String?
    private let path: String?

    public var subject: CallSubject { .page(address) }

    public init(_ params: inout ParamsReader) throws(RPCError) {
        address = try PageAddress(&params)
        name = try params.optional("name", .string, "Only cookies of this name.")
        domain = try params.optional("domain", .string, "Only cookies of this host.")
        path = try params.optional("path", .string, "Only cookies of this path.")
        timeout = try params.pageTimeout("The time to wait for a page.")
    }

    /// Whether a cookie is one of those to delete.
    package func fits(_ cookie: BrowserCookie) -> Bool {
        func host(_ domain: String) -> Substring { domain.hasPrefix(".") ? domain.dropFirst() : domain[...] }
        return name.map { $0 == cookie.name } ?? true && domain.map { host($0) == host(cookie.domain) } ?? true
            && path.map { $0 == cookie.path } ?? true
    }
}

/// `page.launch`
public struct LaunchPage: ControlMethod {
    public static let name = "page.launch"
    public static let summary = """
        Returns the address and the user agent with which to start a browser that shows a page of the app. If the page \
        does not ask for bridge.js then, a problem scriptMissing says so.
        """
    public static let result: JSONValue = .schema(["url": .string], optional: ["userAgent": .string])

    public let url: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        url = try params.required("url", .string, "The page's URL. Its origin becomes one of the app's.")
    }
}

/// `origins.add`
public struct AddAppOrigin: ControlMethod {
    public static let name = "origins.add"
    public static let summary = "Makes an origin one of the app's: its pages get the web view that they ask for."
    public static let result: JSONValue = .schema(["origins": .strings])

    public let origin: String

    public init(_ params: inout ParamsReader) throws(RPCError) {
        origin = try params.required("origin", .string, "The origin, or a URL of it: http://localhost:3000.")
    }
}
