import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration

/// The contents of `bridged.yml` (docs/configuration.md).
struct ConfigurationFile {
    /// Everything in the file, by key. ``SettingLookup`` reads the settings among them.
    let members: [String: YAMLValue]
    let stubs: [DeclaredStub]
    /// Bridge components without Swift.
    let components: [DeclaredComponent]
    /// Message types, by handler.
    private(set) var messages: [String: [DeclaredMessage]] = [:]
    /// Interface objects, by their names in the page.
    private(set) var interfaces: [String: JavascriptInterface] = [:]
    /// For an app's own Swift. An emulated app has no use for it.
    let phone: PhoneSettings?
    private let root: YAMLValue

    /// The keys that are not settings.
    static let declarations = ["stubs", "messages", "interfaces", "components", "phone"]
    static let usualName = "bridged.yml"

    /// Reads the file at `path`, or `bridged.yml` in the working folder if there is one.
    static func find(_ path: String?) throws(YAMLError) -> ConfigurationFile? {
        guard let path = path ?? (FileManager.default.fileExists(atPath: usualName) ? usualName : nil) else {
            return nil
        }
        return try ConfigurationFile(YAMLFile(path: path))
    }

    init(_ file: YAMLFile) throws(YAMLError) {
        root = file.root
        if case .scalar(.null, _) = root.content {
            (members, stubs, components, phone) = ([:], [], [], nil)
            return
        }
        members = try root.members()
        stubs = try members["stubs"]?.elements().map(DeclaredStub.init) ?? []
        components = try members["components"].map(DeclaredComponent.all) ?? []
        phone = try members["phone"].map(PhoneSettings.init)
        for member in try members["interfaces"]?.orderedMembers() ?? [] {
            interfaces[member.key] = try JavascriptInterface(member.value)
        }
        for member in try members["messages"]?.orderedMembers() ?? [] {
            let (handler, message) = try DeclaredMessage.read(member)
            messages[handler, default: []].append(message)
        }
        if let value = members["messages"] { try checkReplies(value) }
    }

    /// - Throws: an error for the first key that is not one of `keys`.
    func checkKeys(_ keys: [String]) throws(YAMLError) {
        if !members.isEmpty { _ = try root.members(keys) }
    }

    /// The functions of the page that replies to messages call, such as `bridge.shared`.
    var calledFunctions: [String] {
        let functions = messages.values.joined().compactMap { message in
            if case .call(let function, _) = message.answer { ObservedName(function)?.text } else { nil }
        }
        return Set(functions).sorted()
    }

    /// Rejects replies to messages of `nativeApp`. This handler does not reply, and neither does the handler of that
    /// name in the apps that it emulates.
    private func checkReplies(_ value: YAMLValue) throws(YAMLError) {
        for message in messages["nativeApp"] ?? [] {
            guard case .reply = message.answer else { continue }
            throw value.error(
                "nativeApp does not reply, so \(message.name) cannot have a reply. "
                    + "Call a function of the page instead (reply: {call: …}), or give the message another handler.")
        }
    }
}
