import BridgeProtocol

/// What native code does with a web view apart from its scripts (ARCHITECTURE.md, "Driven pages").
extension ChromiumFrame {
    func perform(_ method: String, _ params: JSON) async throws(RPCError) -> JSONValue {
        do {
            switch method {
            case "page.loadHTML": try await loadHTML(params["html"]?.string ?? "", baseURL: params["baseURL"]?.string)
            case "page.stop": _ = try await target.call("Page.stopLoading")
            case "page.snapshot": return ["value": .string(try await snapshot(params))]
            case "cookies.all": return ["value": .array(try await cookies())]
            case "cookies.set": try await change("Network.setCookie", params["cookie"] ?? .null)
            case "cookies.delete": try await change("Network.deleteCookies", params["cookie"] ?? .null)
            default: throw RPCError.methodNotFound(method)
            }
            return ["value": .null]
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }

    /// Loads HTML as the document of its base URL, so that it has that URL's origin. Without one it is about:blank.
    private func loadHTML(_ html: String, baseURL: String?) async throws {
        if let baseURL, baseURL.hasPrefix("http") {
            target.giveDocument(html, for: baseURL, id)
            return try await target.load(baseURL)
        }
        target.giveBlankDocument(html, id)
        try await target.load("about:blank")
    }

    private func snapshot(_ params: JSON) async throws -> String {
        let rect = params["rect"]?.elements.compactMap(\.number) ?? []
        let result = try await target.call("Page.captureScreenshot") { writer in
            writer.member("format", "png")
            guard rect.count == 4 else { return }
            writer.member(
                "clip",
                object: { writer in
                    writer.member("x", rect[0])
                    writer.member("y", rect[1])
                    writer.member("width", rect[2])
                    writer.member("height", rect[3])
                    writer.member("scale", (params["width"]?.number).map { $0 / max(1, rect[2]) } ?? 1)
                })
        }
        return result["data"]?.string ?? ""
    }

    private func cookies() async throws -> [JSONValue] {
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
