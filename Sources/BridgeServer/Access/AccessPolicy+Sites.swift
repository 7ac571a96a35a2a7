/// Which sites may come in.
extension AccessPolicy {
    /// Why an HTTP request is refused; nil lets it in.
    func refusal(ofRequest headers: RequestHeaders) -> Refusal? {
        if let refusal = refusal(ofHost: headers.host) { return refusal }
        if let origin = headers.origin { return refusal(ofOrigin: origin, at: headers.host) }
        return refusal(ofEmbedding: headers)
    }

    /// Why a request's body can't be taken; nil takes it. Where one request ends and the next begins must never be in
    /// doubt (RFC 9112, 11.2), so there is one way to say it: a single number.
    func refusal(ofBodyOf request: HTTPRequest) -> Refusal? {
        let headers = request.headers
        let isClear = headers.contentLength == nil ? request.method != .post : headers.bodyLength != nil
        guard !isClear || headers.transferEncoding != nil else { return nil }
        return Refusal(
            code: .lengthRequired,
            text: "A request to \(request.path.forText) came without one clear Content-Length.",
            hint: "Send the body whole, with its length, not chunked.")
    }

    /// Why a POST for programs is refused; nil takes it. A browser asks the daemon before a page of another site may send
    /// this type, and the daemon never allows it; forms can't send it at all.
    func refusal(ofTypeOf request: HTTPRequest) -> Refusal? {
        let type = request.headers.contentType ?? ""
        guard type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() != "application/json" else { return nil }
        return Refusal(
            code: .wrongContentType,
            text: "A POST to \(request.path.forText) had the Content-Type '\(type.forText)'.",
            hint: "Expected Content-Type: application/json.")
    }

    private func refusal(ofHost field: String?) -> Refusal? {
        let authority = field.flatMap { Authority($0) }
        if let authority, isAllowed(authority) { return nil }
        let way =
            authority.map { " If the name is yours, start the daemon with --allow-origin http://\($0.host)." } ?? ""
        return Refusal(
            code: .hostNotAllowed,
            text: "A request was for the host '\((field ?? "").forText)', which is not this machine's.",
            hint: "Use localhost, a name under .localhost or .test, 127.0.0.1 or [::1].\(way)")
    }

    private func isAllowed(_ authority: Authority) -> Bool {
        authority.isLocal || allowedHosts.contains(authority.host) || (allowsAnyAddress && authority.isAddress)
            || allowedOrigins.contains { $0.authority.host == authority.host }
    }

    /// - Parameter host: has been looked at. The daemon's own pages come from there.
    private func refusal(ofOrigin field: String, at host: String?) -> Refusal? {
        let origin = Origin(field)
        if let origin, isAllowed(origin) || origin.authority == host.flatMap({ Authority($0) }) { return nil }
        return Refusal(
            code: .originNotAllowed, text: "A page of '\(field.forText)' asked to come in.",
            hint: origin != nil
                ? "If it is yours, start the daemon with --allow-origin \(field.forText)."
                : "Serve the page over http from localhost; files and sandboxed frames have no origin to allow.")
    }

    private func isAllowed(_ origin: Origin) -> Bool {
        origin.authority.isLocal || allowedOrigins.contains(where: origin.matches)
    }

    /// A browser names no `Origin` for what a page embeds, such as a script. What it says instead: `Sec-Fetch-Site`
    /// (to what it trusts, this machine among it), and `Referer`, which the page may hide.
    ///
    /// Who follows a link may come from anywhere: a page that is shown can't be read from there.
    private func refusal(ofEmbedding headers: RequestHeaders) -> Refusal? {
        guard !headers.isNavigation, (headers.fetchSite ?? "cross-site") == "cross-site" else { return nil }
        if let referer = headers.referer {
            guard let site = Origin(startOf: referer) else { return refusal(ofOrigin: referer, at: headers.host) }
            return isAllowed(site) || site.authority == headers.host.flatMap({ Authority($0) })
                ? nil : refusal(ofOrigin: site.text, at: headers.host)
        }
        guard headers.fetchSite != nil else { return nil }
        return Refusal(
            code: .originNotAllowed, text: "A page of another site asked for something, and hides which site it is.",
            hint: "If it is yours, add referrerpolicy=\"origin\" to its tag of bridge.js.")
    }
}

extension RequestHeaders {
    /// Whether somebody goes to a page, rather than a page fetching something for itself.
    fileprivate var isNavigation: Bool {
        fetchMode.map { $0 == "navigate" } ?? accept?.contains("text/html") ?? false
    }

    /// Nil for what is not digits alone.
    var bodyLength: Int? {
        contentLength.flatMap { $0.utf8.allSatisfy { (48...57).contains($0) } ? Int($0) : nil }
    }
}
