import WebFiles

/// The routes of the inspector's page and its files (`web/inspector`). They contain nothing about the app: the page
/// asks the control channel for everything, with the token in its own address.
@MainActor struct InspectorRoutes {
    let transport: TransportConfiguration

    func install(in router: Router) {
        for path in ["/", "/inspector"] {
            router.on(.get, path) { _ in HTTPResponse(status: .found, fields: [("Location", "/inspector/")]) }
        }
        router.on(.get, "/inspector/") { .webFile("inspector/index.html", for: $0, transport) }
        for name in WebFiles.names(in: "inspector") {
            router.on(.get, "/inspector/\(name)") { .webFile("inspector/\(name)", for: $0, transport) }
        }
    }
}
