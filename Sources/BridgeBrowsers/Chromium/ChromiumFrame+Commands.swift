import BridgeProtocol

extension ChromiumFrame: PageCommands {
    /// Loads HTML as the document of its base URL, so that it has that URL's origin. Without one it is about:blank.
    func loadHTML(_ html: String, baseURL: String?) async throws {
        if let baseURL, baseURL.hasPrefix("http") {
            target.giveDocument(html, for: baseURL, id)
            return try await target.load(baseURL)
        }
        target.giveBlankDocument(html, id)
        try await target.load("about:blank")
    }

    func stopLoading() async throws { _ = try await target.call("Page.stopLoading") }

    func pdf() async throws -> String {
        let result = try await target.call("Page.printToPDF") { $0.member("printBackground", true) }
        return result["data"]?.string ?? ""
    }

    func snapshot(rect: [Double]?, width: Double?) async throws -> String {
        let result = try await target.call("Page.captureScreenshot") { writer in
            writer.member("format", "png")
            guard let rect else { return }
            writer.member(
                "clip",
                object: { writer in
                    writer.member("x", rect[0])
                    writer.member("y", rect[1])
                    writer.member("width", rect[2])
                    writer.member("height", rect[3])
                    writer.member("scale", width.map { $0 / max(1, rect[2]) } ?? 1)
                })
        }
        return result["data"]?.string ?? ""
    }

    func cookies() async throws -> [JSONValue] {
        try await target.call("Storage.getCookies")["cookies"]?.elements.map { cookie in
            var members: [JSONValue.Member] = ["name", "value", "domain", "path", "secure", "httpOnly"].compactMap {
                key in cookie[key].map { .init(key, JSONValue($0)) }
            }
            if let expires = cookie["expires"]?.number, expires > 0 {
                members.append(.init("expires", .number(expires)))
            }
            return .object(members)
        } ?? []
    }

    func setCookie(_ cookie: JSON) async throws { try await change("Network.setCookie", cookie) }

    func deleteCookie(_ cookie: JSON) async throws { try await change("Network.deleteCookies", cookie) }

    private func change(_ method: String, _ cookie: JSON) async throws {
        let isDeletion = method == "Network.deleteCookies"
        _ = try await target.call(method) { writer in
            for key in ["name", "value", "domain", "path", "secure", "httpOnly", "expires"] {
                guard let value = cookie[key], !isDeletion || ["name", "domain", "path"].contains(key) else { continue }
                writer.member(named: key, value)
            }
        }
    }
}
