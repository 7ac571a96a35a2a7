import BridgeProtocol

/// The settings of a web view that the driver of a browser gets.
struct WebViewSettings: JSONObject {
    let userScripts: [UserScript]
    let interfaces: [InterfaceInfo]
    let userAgent: String?
    let applicationName: String?
    /// Whether the page's own scripts may run.
    let contentScripts: Bool
    /// Whether native code answers the page's dialogs.
    let dialogs: Bool
    let faults: [ToolRules<Fault>.Entry]

    var members: JSONMembers {
        [
            "userScripts": userScripts, "interfaces": interfaces.isEmpty ? nil : interfaces, "userAgent": userAgent,
            "applicationName": applicationName, "contentScripts": contentScripts ? nil : false,
            "dialogs": dialogs ? true : nil, "faults": faults.isEmpty ? nil : faults,
        ]
    }
}

/// The description from which an interface object is made in a page.
struct InterfaceInfo: JSONObject {
    let name: String
    let methods: [String]

    init(name: String, object: JavascriptInterface) {
        self.name = name
        methods = object.names
    }

    var members: JSONMembers { ["name": name, "methods": methods] }
}
