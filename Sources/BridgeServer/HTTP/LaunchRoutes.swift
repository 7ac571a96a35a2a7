import BridgeProtocol

/// `/launch`: the first page of a browser that a test starts. It navigates to the page that the test opens, and reports
/// its own end. So the daemon notices if that other page does not load `bridge.js`.
@MainActor struct LaunchRoutes {
    let missingScripts: MissingScripts

    func install(in router: Router) {
        router.on(.get, "/launch") { _ in
            guard let url = missingScripts.launchDestination else {
                return .text("No test starts a browser.", status: .notFound)
            }
            // The other page sees no referrer, but the daemon gets the origin of the report.
            return .html(html(leadingTo: url), fields: [("Referrer-Policy", "same-origin")])
        }
        router.on(.post, "/launch") { _ in
            missingScripts.launched()
            return HTTPResponse(status: .noContent)
        }
    }

    private func html(leadingTo url: String) -> String {
        var writer = JSONWriter(escaping: .html)
        writer.string(url)
        return """
            <!DOCTYPE html><script>
            addEventListener("pagehide", () => navigator.sendBeacon("/launch", "left"))
            location.replace(\(writer.text))
            </script>
            """
    }
}
