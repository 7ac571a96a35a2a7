package import BridgeProtocol

/// What native code does with a web view apart from its scripts (docs/protocol.md, "Driver channel"). Each engine has its
/// own.
@MainActor package protocol PageCommands {
    /// Loads HTML as the document of its base URL, so that it has that URL's origin.
    func loadHTML(_ html: String, baseURL: String?) async throws
    func stopLoading() async throws
    /// Takes a picture of what the window shows.
    /// - Parameters:
    ///   - rect: left, top, width and height of the part; nil for everything.
    ///   - width: the width of the picture in pixels; nil for that of the part.
    /// - Returns: a PNG in base64.
    func snapshot(rect: [Double]?, width: Double?) async throws -> String
    /// Does what a user does. The page cannot tell the difference.
    func perform(_ input: PageInput) async throws
    func tap(_ point: TapPoint) async throws
    /// Changes the size of the page, or the colours that its user prefers.
    func emulate(_ emulation: PageEmulation) async throws
    /// - Returns: a PDF in base64.
    func pdf() async throws -> String
    /// - Returns: `{name, value, domain, path, secure, httpOnly, expires?}`
    func cookies() async throws -> [JSONValue]
    func setCookie(_ cookie: JSON) async throws
    func deleteCookie(_ cookie: JSON) async throws
}

extension PageCommands {
    /// - Returns: the result of the method.
    /// - Throws: `methodNotFound`, or the browser's error.
    package func perform(_ method: String, _ params: JSON) async throws(RPCError) -> JSONValue {
        do {
            return ["value": try await value(of: method, params)]
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }

    private func value(of method: String, _ params: JSON) async throws -> JSONValue {
        switch method {
        case "page.loadHTML": try await loadHTML(params["html"]?.string ?? "", baseURL: params["baseURL"]?.string)
        case "page.stop": try await stopLoading()
        case "page.snapshot":
            let rect = params["rect"]?.elements.compactMap(\.number) ?? []
            return .string(try await snapshot(rect: rect.count == 4 ? rect : nil, width: params["width"]?.number))
        case "page.input": try await perform(PageInput(params))
        case "page.emulate": try await emulate(PageEmulation(params))
        case "page.pdf": return .string(try await pdf())
        case "cookies.all": return .array(try await cookies())
        case "cookies.set": try await setCookie(params["cookie"] ?? .null)
        case "cookies.delete": try await deleteCookie(params["cookie"] ?? .null)
        default: throw RPCError.methodNotFound(method)
        }
        return .null
    }
}
