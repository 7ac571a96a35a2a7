/// A file that a site serves at one path.
struct SiteFile: Sendable, Decodable {
    var body: String
    var type = "text/html; charset=utf-8"
    var headers: [String: String] = [:]
    var status = 200
    var delayMs = 0

    init(body: String, type: String = "text/html; charset=utf-8", headers: [String: String] = [:], delayMs: Int = 0) {
        self.body = body
        self.type = type
        self.headers = headers
        self.delayMs = delayMs
    }

    private enum CodingKeys: CodingKey { case body, type, headers, status, delayMs }

    /// Decodes a file. A plain string is HTML.
    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            body = text
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        body = try container.decodeIfPresent(String.self, forKey: .body) ?? ""
        type = try container.decodeIfPresent(String.self, forKey: .type) ?? type
        headers = try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:]
        status = try container.decodeIfPresent(Int.self, forKey: .status) ?? status
        delayMs = try container.decodeIfPresent(Int.self, forKey: .delayMs) ?? 0
    }

    /// Returns the file with the changes for the daemon.
    ///
    /// The script tag comes first in an HTML document, but after the doctype, which has no effect elsewhere.
    func admitting(_ admission: Admission) -> SiteFile {
        guard type.hasPrefix("text/html") else { return self }
        var copy = self
        let policy = "Content-Security-Policy"
        copy.headers[policy] = headers[policy].map(admission.admit)
        let tag = admission.tag
        let doctype = body.prefix(while: { $0 != ">" })
        if doctype.lowercased().hasPrefix("<!doctype") {
            copy.body = doctype + ">" + tag + body.dropFirst(doctype.count + 1)
        } else {
            copy.body = tag + body
        }
        return copy
    }
}
