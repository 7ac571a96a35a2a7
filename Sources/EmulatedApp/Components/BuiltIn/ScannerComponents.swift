import BridgeProtocol
import BridgeServer

/// A camera that reads bar codes. It sees `Device.barcode`.
final class BarcodeScannerComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "barcode-scanner" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A camera that sees one bar code, unless `see` gives it another.",
            events: [.init("scan", "Replies with `{barcode}` when the camera sees a code.")],
            state: "`{isScanning}`",
            actions: [
                .init(
                    "see",
                    "Puts this code in front of the camera; without an argument, no code. The camera scans until it sees one.",
                    optional: ["barcode"],
                    app: { app, arguments in
                        app.device.barcode = arguments["barcode"]
                        app.visibleComponent(BarcodeScannerComponent.self)?.look()
                    }),
                .init("cancel", "Closes the camera, which sends no reply.") { (scanner: BarcodeScannerComponent, _) in
                    guard scanner.isScanning else { throw ActionRefusal("the camera is not open.") }
                    scanner.isScanning = false
                },
            ])
    }

    private var isScanning = false

    var state: JSONValue? { ["isScanning": .bool(isScanning)] }

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

/// A camera that scans paper documents. It takes `Device.document`.
final class DocumentScannerComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "document-scanner" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A camera that scans one gray pixel, unless `see` gives it another picture.",
            events: [.init("scan", "Replies with `{imageData}`, a JPEG in Base64.")],
            actions: [
                .init(
                    "see", "Puts this picture in front of the camera: a JPEG in Base64.", required: ["imageData"],
                    app: { app, arguments in app.device.document = arguments["imageData", default: ""] })
            ])
    }

    override func onReceive(message: Message) {
        guard let document = app?.device.document else { return }
        reply(to: "scan", with: ["imageData": document])
    }
}
