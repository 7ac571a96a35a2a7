import BridgeProtocol

/// What the page is told about its screen, with the domain `Emulation` of DevTools.
extension ChromiumFrame {
    func emulate(_ emulation: PageEmulation) async throws {
        if let size = emulation.size {
            let device = target.browser.options.device
            _ = try await target.call("Emulation.setDeviceMetricsOverride") { writer in
                writer.member("width", size.width)
                writer.member("height", size.height)
                // 0 is the scale of the window.
                writer.member("deviceScaleFactor", device?.scale ?? 0)
                writer.member("mobile", device != nil)
            }
        }
        guard let colorScheme = emulation.colorScheme else { return }
        let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(colorScheme.rawValue)]
        _ = try await target.call("Emulation.setEmulatedMedia") { writer in
            writer.member("features", JSONValue.array([feature]))
        }
    }
}
