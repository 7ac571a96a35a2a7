import BridgeProtocol
import BridgeServer
import BridgeYAML
import Foundation
import PathConfiguration

/// What `bridged.yml` says (docs/configuration.md).
struct ConfigurationFile {
    /// A stub as it is declared.
    struct DeclaredStub {
        let handler: String
        let webView: String?
        let match: ScriptValue?
        let reply: StubReply
        let delay: Duration
    }

    /// Those of the command line, as texts.
    private(set) var settings: [Setting: [String]] = [:]
    private(set) var stubs: [DeclaredStub] = []
    /// By handler.
    private(set) var messages: [String: [DeclaredMessage]] = [:]
    /// By their names in the page.
    private(set) var interfaces: [String: JavascriptInterface] = [:]
    private var places: [Setting: YAMLValue] = [:]

    static let usualName = "bridged.yml"

    /// The file that is named, or the one in the working folder, where there is one.
    static func find(_ path: String?) throws(YAMLError) -> ConfigurationFile? {
        guard let path = path ?? (FileManager.default.fileExists(atPath: usualName) ? usualName : nil) else {
            return nil
        }
        return try ConfigurationFile(YAMLFile(path: path))
    }

    init(_ file: YAMLFile) throws(YAMLError) {
        if case .scalar(.null, _) = file.root.content { return }
        let keys = Setting.allCases.map(\.rawValue) + ["stubs", "messages", "interfaces"]
        let members = try file.root.members(keys)
        for setting in Setting.allCases {
            guard let value = members[setting.rawValue] else { continue }
            places[setting] = value
            settings[setting] = try ConfigurationFile.texts(value, isList: setting.isList)
        }
        stubs = try members["stubs"]?.elements().map(DeclaredStub.init) ?? []
        for member in try members["interfaces"]?.orderedMembers() ?? [] {
            interfaces[member.key] = try JavascriptInterface(member.value)
        }
        for member in try members["messages"]?.orderedMembers() ?? [] {
            let (handler, message) = try DeclaredMessage.read(member)
            messages[handler, default: []].append(message)
        }
        if let value = members["messages"] { try checkReplies(value) }
    }

    /// `keep, bridged.yml line 3`
    func place(of setting: Setting) -> String? {
        places[setting].map { "\(setting.rawValue), \($0.file) line \($0.line)" }
    }

    private static func texts(_ value: YAMLValue, isList: Bool) throws(YAMLError) -> [String] {
        guard isList, case .sequence(let elements) = value.content else { return [try value.text()] }
        var texts: [String] = []
        for element in elements { texts.append(try element.text()) }
        return texts
    }

    /// The built-in handler does not reply, as in the apps that it stands for.
    private func checkReplies(_ value: YAMLValue) throws(YAMLError) {
        for message in messages["nativeApp"] ?? [] {
            guard case .reply = message.answer else { continue }
            throw value.error(
                "nativeApp does not reply, so \(message.name) can't. "
                    + "Let it call a function of the page (reply: {call: …}), or give it another handler.")
        }
    }
}

extension ConfigurationFile.DeclaredStub {
    init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["handler", "web-view", "match", "reply", "delay"])
        guard let handler = members["handler"] else { throw value.error("A stub needs a handler: its name.") }
        guard let reply = members["reply"] else {
            throw value.error("A stub needs a reply: {value: …}, {error: text}, {echo: true} or {none: true}.")
        }
        self.handler = try handler.text()
        webView = try members["web-view"]?.text()
        match = members["match"]?.scriptValue
        self.reply = try StubReply(reply)
        delay = try members["delay"]?.duration() ?? .zero
    }
}
