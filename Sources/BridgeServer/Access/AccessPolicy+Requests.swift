import BridgeProtocol

/// The checks that every HTTP request must pass: its host, its origin and its body.
extension AccessPolicy {
    /// Checks a request's host and origin. Returns the refusal, or nil if the request is accepted.
    func refusal(ofRequest headers: RequestHeaders) -> Refusal? {
        if let refusal = refusal(ofHost: headers.host) { return refusal }
        if let origin = headers.origin { return refusal(ofOrigin: origin, at: headers.host) }
        return refusal(ofSite: headers)
    }

    /// Checks that the length of a request's body is unambiguous. Returns the refusal, or nil if the request is
    /// accepted.
    ///
    /// It must never be in doubt where one request ends and the next begins (RFC 9112, section 11.2). So a POST needs a
    /// Content-Length that is a single number, and no request may be chunked.
    func refusal(ofBodyOf request: HTTPRequest) -> Refusal? {
        let headers = request.headers
        let isClear = headers.contentLength == nil ? request.method != .post : headers.bodyLength != nil
        guard !isClear || headers.transferEncoding != nil else { return nil }
        return Refusal(
            code: .lengthRequired, text: "A request to \(request.path.forText) had no single, clear Content-Length.",
            hint: "Send the whole body with its length, not chunked.")
    }

    /// Checks that the content type of a POST is JSON. Returns the refusal, or nil if the request is accepted.
    ///
    /// Forms cannot send this content type. Before a page of another site sends it, its browser asks the daemon with a
    /// CORS preflight. The daemon allows that only for `/call`, and only for origins that may attach.
    func refusal(ofTypeOf request: HTTPRequest) -> Refusal? {
        let type = request.headers.contentType ?? ""
        guard type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() != "application/json" else { return nil }
        return Refusal(
            code: .wrongContentType,
            text: "A POST to \(request.path.forText) had the Content-Type '\(type.forText)'.",
            hint: "Expected Content-Type: application/json.")
    }

    // MARK: Host

    private func refusal(ofHost field: String?) -> Refusal? {
        let authority = field.flatMap { Authority($0) }
        if let authority, isAllowed(authority) { return nil }
        let option =
            authority.map {
                " If the name is yours, start the daemon with \(setting("allow-origin", "allowedOrigins", "http://\($0.host)"))."
            } ?? ""
        return Refusal(
            code: .hostNotAllowed,
            text: "A request named the host '\((field ?? "").forText)', which is not this machine.",
            hint: "Use localhost, a name under .localhost or .test, 127.0.0.1 or [::1].\(option)")
    }

    private func isAllowed(_ authority: Authority) -> Bool {
        authority.isLocal || authority.isTestName || allowedHosts.contains(authority.host)
            || (allowsAnyAddress && authority.isAddress) || allowedOrigins.contains { $0.matches(host: authority) }
    }

    // MARK: Origin

    /// - Parameter host: an accepted host. The daemon's own pages have it as their origin.
    private func refusal(ofOrigin field: String, at host: String?) -> Refusal? {
        let origin = Origin(field)
        if let origin, isAllowed(origin, at: host) { return nil }
        return Refusal(
            code: .originNotAllowed, text: "A page of '\(field.forText)' asked for access, which is not allowed.",
            hint: origin != nil
                ? "If the page is yours, start the daemon with \(setting("allow-origin", "allowedOrigins", field.forText))."
                : "Serve the page over http from localhost. Files and sandboxed frames have no origin to allow.")
    }

    private func isAllowed(_ origin: Origin, at host: String?) -> Bool {
        if isOwn(origin, at: host) || allowedOrigins.contains(where: { $0.matches(origin) }) { return true }
        return !isStrict && (origin.authority.isLocal || origin.authority.isTestName)
    }

    /// Whether an origin is that of the daemon's own pages.
    /// - Parameter host: the host that the request names.
    func isOwn(_ origin: Origin, at host: String?) -> Bool {
        host.flatMap { Origin("\(scheme)://\($0)") } == origin
    }

    // MARK: Names

    /// The names in an accepted request that are accepted only if the system's resolver says that they are this
    /// machine's.
    func uncertainNames(in headers: RequestHeaders) -> [String] {
        let page = headers.origin ?? headers.referer
        let authorities = [headers.host.flatMap { Authority($0) }, page.flatMap { Origin(startOf: $0)?.authority }]
        let names = authorities.compactMap(\.self).filter { authority in
            authority.isTestName && !allowedOrigins.contains { $0.matches(host: authority) }
        }
        return names.count == 2 && names[0].host == names[1].host ? [names[0].host] : names.map(\.host)
    }

    // MARK: Sites

    /// Checks a request for which browsers send no `Origin`: a navigation, or what a page embeds, such as a script.
    ///
    /// They send `Sec-Fetch-Site` instead, but only to hosts that they trust, such as this machine. They also send
    /// `Referer`, which the page may suppress. Both are absent if a user has typed the address, or if the client is not
    /// a browser.
    private func refusal(ofSite headers: RequestHeaders) -> Refusal? {
        guard !["none", "same-origin"].contains(headers.fetchSite) else { return nil }
        if let referer = headers.referer {
            guard let refusal = refusal(ofOrigin: Origin(startOf: referer)?.text ?? referer, at: headers.host) else {
                return nil
            }
            return headers.isNavigation ? navigationNotAllowed(from: referer) : refusal
        }
        guard headers.fetchSite == "cross-site" || (isStrict && headers.fetchSite != nil) else { return nil }
        guard !headers.isNavigation else { return navigationNotAllowed(from: nil) }
        return Refusal(
            code: .originNotAllowed, text: "A page of another site asked for access and hides which site it is.",
            hint: "If the page is yours, add referrerpolicy=\"origin\" to its bridge.js script tag.")
    }

    private func navigationNotAllowed(from referer: String?) -> Refusal {
        let site =
            referer.map { "'\((Origin(startOf: $0)?.text ?? $0).forText)'" } ?? "another site, which hides its name,"
        return Refusal(
            code: .navigationNotAllowed, text: "A page of \(site) led a browser to the daemon.",
            hint: "If you wanted to go there, follow the link in the answer, or type the address.")
    }
}

extension RequestHeaders {
    /// Whether the request navigates to a page. Otherwise, a page or a tool fetches something.
    fileprivate var isNavigation: Bool {
        fetchMode.map { $0 == "navigate" } ?? accept?.contains("text/html") ?? false
    }

    /// The Content-Length; nil if it is not made of digits only.
    var bodyLength: Int? {
        contentLength.flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
    }
}
