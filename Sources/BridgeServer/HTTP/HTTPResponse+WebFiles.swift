import WebFiles

extension HTTPResponse {
    /// A file of `web/` for a page of the daemon's own, with a policy that allows only what such a page needs.
    ///
    /// - Parameters:
    ///   - name: a path in `web/`. It must not come from a request.
    ///   - scripts: sources of scripts beside the daemon's own files, such as `'unsafe-eval'`.
    static func webFile(
        _ name: String, for request: HTTPRequest, _ transport: TransportConfiguration, scripts: [String] = []
    ) -> HTTPResponse {
        do throws(MissingWebFile) {
            let policy = """
                default-src 'none'; script-src \((["'self'"] + scripts).joined(separator: " ")); style-src 'self'; img-src 'self' data:; \
                connect-src 'self' \(transport.webSocketScheme)://\(request.headers.host ?? ""); \
                frame-ancestors 'none'; base-uri 'none'; form-action 'self'
                """
            return HTTPResponse(
                contentType: WebFiles.contentType(of: name),
                fields: [("Cache-Control", "no-cache"), ("Referrer-Policy", "no-referrer")], policy: policy,
                body: try WebFiles.read(name))
        } catch {
            return .text(error.description, status: .notFound)
        }
    }
}
