import BridgeProtocol
import BridgeServer

/// A camera that reads bar codes. It sees what the device holds in front of it.
final class BarcodeScannerComponent: BridgeComponent {
    override class var name: String { "barcode-scanner" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "A camera that reads bar codes. It sees the same code, unless it is shown another.",
            events: [.init("scan", "Replies with `{barcode}` once the camera sees one.")],
            state: "`{isScanning}`",
            actions: [
                .init(
                    "see", "The camera sees this code from now on; without one it sees none, and scans until it does.",
                    optional: ["barcode"],
                    app: { app, arguments in
                        app.device.barcode = arguments["barcode"]
                        app.visibleComponent(BarcodeScannerComponent.self)?.look()
                    }),
                .init("cancel", "Closes the camera. The page hears nothing.") { (scanner: BarcodeScannerComponent, _) in
                    scanner.isScanning = false
                },
            ])
    }

    private var isScanning = false

    override var state: JSONValue? { ["isScanning": .bool(isScanning)] }

    override func onReceive(message: Message) {
        isScanning = true
        look()
    }

    private func look() {
        guard isScanning, let barcode = app?.device.barcode else { return }
        isScanning = false
        reply(to: "scan", with: ["barcode": barcode])
    }
}

/// A camera that makes a picture of paper.
final class DocumentScannerComponent: BridgeComponent {
    override class var name: String { "document-scanner" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "A camera that makes a picture of a document: a grey dot, unless it is shown another.",
            events: [.init("scan", "Replies with `{imageData}`, a JPEG in Base64.")],
            actions: [
                .init(
                    "see", "The camera sees this from now on, a JPEG in Base64.", required: ["imageData"],
                    app: { app, arguments in app.device.document = arguments["imageData", default: ""] })
            ])
    }

    override func onReceive(message: Message) {
        guard let document = app?.device.document else { return }
        reply(to: "scan", with: ["imageData": document])
    }
}
