package import BridgeClient
package import BridgeProtocol

/// A phone or simulator with a real app, whose pages a running daemon observes. Flows can run there.
package struct FlowDevice: Sendable {
    /// The daemon's name of it, such as `d1`.
    package let id: String
    package let info: DeviceInfo
    /// Its page that is shown, as a line for people.
    fileprivate let line: String
    /// What may name it.
    fileprivate let names: Set<String>

    /// What `--on` takes for the only device.
    private static let usualNames: Set<String> = ["phone", "device"]

    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
    }

    /// Finds the device that a name means: `phone` for the only one; its id, the id of a page or a web view, its model or
    /// its address.
    package static func named(_ name: String, in daemon: DaemonClient) throws -> FlowDevice {
        let devices = all(in: try daemon.call("pages.list", expecting: ["pages"]))
        let fitting = usualNames.contains(name.lowercased()) ? devices : devices.filter { $0.names.contains(name) }
        if let device = fitting.first, fitting.count == 1 { return device }
        let lines = devices.map(\.line).joined(separator: "; ")
        guard !devices.isEmpty else {
            throw Mistake(
                description:
                    "No real app is attached to \(daemon.contact.url). Open a page of it that has the tag of bridge.js: "
                    + "docs/phone.md.")
        }
        guard !fitting.isEmpty else { throw Mistake(description: "There is no device '\(name)'. There are: \(lines).") }
        throw Mistake(
            description:
                "\(fitting.count) devices are meant by '\(name)'. Name one, as in --on \(fitting[0].id): \(lines).")
    }

    private static func all(in list: JSON) -> [FlowDevice] {
        let pages = (list["pages"]?.elements ?? []).filter {
            $0["device"]?.bool == true && $0["attached"]?.bool == true && $0["frame"]?["isMainFrame"]?.bool == true
        }
        var ids: [String] = []
        for id in pages.compactMap({ $0["deviceId"]?.string }) where !ids.contains(id) { ids.append(id) }
        return ids.compactMap { id in FlowDevice(id, pages.filter { $0["deviceId"]?.string == id }) }
    }

    private init?(_ id: String, _ pages: [JSON]) {
        guard let shown = DevicePage.shown(in: pages, of: id) else { return nil }
        self.id = id
        func text(_ key: String) -> String? { shown.json[key]?.string }
        info = DeviceInfo(model: text("model"), system: text("system"), framework: text("framework"))
        let others = ["page", "webView"].flatMap { key in pages.compactMap { $0[key]?.string } }
        names = Set([id, text("model"), text("address")].compactMap(\.self) + others)
        let address = text("address").map { " at \($0)" } ?? ""
        line = "\(id)  \(info)\(address), which shows \(shown.url) (\(shown.id))"
    }
}

/// A page of a device, as `pages.list` has it.
struct DevicePage {
    let json: JSON
    var id: String { json["page"]?.string ?? "" }
    var url: String { json["frame"]?["url"]?.string ?? "" }
    var isLoaded: Bool { json["readyState"]?.string == "complete" }

    /// The page that a device shows: the newest one that is visible, or else the newest. The daemon has the same rule.
    static func shown(in pages: [JSON], of device: String) -> DevicePage? {
        let attached = pages.filter {
            $0["deviceId"]?.string == device && $0["attached"]?.bool == true
                && $0["frame"]?["isMainFrame"]?.bool == true
        }
        let found = attached.last { $0["visibility"]?.string != "hidden" } ?? attached.last
        return found.map(DevicePage.init)
    }
}
