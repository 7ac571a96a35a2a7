/// What a page or its driver gets of a web view: the params of `handlers.changed`, a part of the result of `page.attach`,
/// and the answer to `GET /web-view`. A page with the script tag gets only handlers and, while it loads, user scripts.
public struct WebViewSettings: JSONObject, Sendable, Equatable {
    public var handlers: [HandlerInfo]
    /// Nil leaves them as they are.
    public package(set) var userScripts: [UserScriptInfo]?
    public let interfaces: [InterfaceInfo]
    /// The user agent of the web view; nil for the browser's own.
    public private(set) var userAgent: String?
    /// A text to append to the browser's own user agent.
    public private(set) var applicationName: String?
    /// Whether the page's own scripts may run.
    public let allowsContentScripts: Bool
    /// Whether native code answers the page's dialogs.
    public let answersDialogs: Bool
    public let faults: [RequestFault]
    /// The URL schemes for which native code answers. Only WebKit asks it for what pages request.
    public let schemes: [String]

    public init(
        handlers: [HandlerInfo] = [], userScripts: [UserScriptInfo]? = nil, interfaces: [InterfaceInfo] = [],
        userAgent: String? = nil, applicationName: String? = nil, allowsContentScripts: Bool = true,
        answersDialogs: Bool = false, faults: [RequestFault] = [], schemes: [String] = []
    ) {
        (self.handlers, self.userScripts, self.interfaces) = (handlers, userScripts, interfaces)
        (self.userAgent, self.applicationName) = (userAgent, applicationName)
        (self.allowsContentScripts, self.answersDialogs) = (allowsContentScripts, answersDialogs)
        (self.faults, self.schemes) = (faults, schemes)
    }

    public init(_ json: JSON) {
        handlers = json["handlers"]?.elements.map(HandlerInfo.init) ?? []
        userScripts = json["userScripts"]?.elements.map(UserScriptInfo.init)
        interfaces = json["interfaces"]?.elements.map(InterfaceInfo.init) ?? []
        userAgent = json["userAgent"]?.string
        applicationName = json["applicationName"]?.string
        allowsContentScripts = json["contentScripts"]?.bool ?? true
        answersDialogs = json["dialogs"]?.bool ?? false
        faults = json["faults"]?.elements.compactMap(RequestFault.init) ?? []
        schemes = json["schemes"]?.elements.compactMap(\.string) ?? []
    }

    public var members: JSONMembers {
        [
            "handlers": handlers, "userScripts": userScripts, "interfaces": interfaces.isEmpty ? nil : interfaces,
            "userAgent": userAgent, "applicationName": applicationName,
            "contentScripts": allowsContentScripts ? nil : false, "dialogs": answersDialogs ? true : nil,
            "faults": faults.isEmpty ? nil : faults, "schemes": schemes.isEmpty ? nil : schemes,
        ]
    }

    /// The settings after a change. A window keeps the user agent that it began with.
    package func changed(by change: WebViewSettings) -> WebViewSettings {
        var new = change
        new.userScripts = change.userScripts ?? userScripts
        (new.userAgent, new.applicationName) = (userAgent, applicationName)
        return new
    }
}

/// The description of a handler that a page receives.
public struct HandlerInfo: JSONObject, Sendable, Equatable {
    public let name: String
    /// Whether `postMessage` waits for a reply, as with `WKScriptMessageHandlerWithReply`.
    public let replies: Bool
    /// The content world whose scripts have the handler; nil for the page's own. Only driven pages have others.
    public let world: String?

    public init(name: String, replies: Bool, world: String? = nil) {
        (self.name, self.replies, self.world) = (name, replies, world)
    }

    public init(_ json: JSON) {
        self.init(
            name: json["name"]?.string ?? "", replies: json["replies"]?.bool ?? false, world: json["world"]?.string)
    }

    public var members: JSONMembers { ["name": name, "replies": replies, "world": world] }
}

/// The description from which an object of Android's `addJavascriptInterface` is made in a page.
public struct InterfaceInfo: JSONObject, Sendable, Equatable {
    public let name: String
    public let methods: [String]

    public init(name: String, methods: [String]) { (self.name, self.methods) = (name, methods) }

    public init(_ json: JSON) {
        self.init(name: json["name"]?.string ?? "", methods: json["methods"]?.elements.compactMap(\.string) ?? [])
    }

    public var members: JSONMembers { ["name": name, "methods": methods] }
}

/// The description of a user script that a page receives.
public struct UserScriptInfo: JSONObject, Sendable, Equatable {
    public let source: String
    public let atDocumentEnd: Bool
    public let mainFrameOnly: Bool
    /// Regular expressions for the document's URL without its port.
    public let include: [String]
    public let exclude: [String]
    /// The content world in which the script runs; nil for the page's own. Only driven pages have others.
    public let world: String?

    public init(
        source: String, atDocumentEnd: Bool, mainFrameOnly: Bool, include: [String], exclude: [String], world: String?
    ) {
        (self.source, self.atDocumentEnd, self.mainFrameOnly) = (source, atDocumentEnd, mainFrameOnly)
        (self.include, self.exclude, self.world) = (include, exclude, world)
    }

    public init(_ json: JSON) {
        self.init(
            source: json["source"]?.string ?? "", atDocumentEnd: json["at"]?.string == "end",
            mainFrameOnly: json["mainFrameOnly"]?.bool ?? false,
            include: json["include"]?.elements.compactMap(\.string) ?? [],
            exclude: json["exclude"]?.elements.compactMap(\.string) ?? [], world: json["world"]?.string)
    }

    public var members: JSONMembers {
        [
            "source": source, "at": atDocumentEnd ? "end" : "start", "mainFrameOnly": mainFrameOnly,
            "include": include.isEmpty ? nil : include, "exclude": exclude.isEmpty ? nil : exclude, "world": world,
        ]
    }
}

/// A fault that the driver applies to the requests of a web view.
public struct RequestFault: JSONWritable, Sendable, Equatable {
    public let id: String
    public let fault: Fault

    public init(id: String, _ fault: Fault) { (self.id, self.fault) = (id, fault) }

    public init?(_ json: JSON) {
        guard let id = json["fault"]?.string, let fault = Fault(json) else { return nil }
        self.init(id: id, fault)
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("fault", id)
            fault.writeMembers(to: &writer)
        }
    }
}
