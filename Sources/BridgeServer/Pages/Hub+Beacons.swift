import BridgeProtocol
import BridgeTraffic

/// What documents leave behind as they go (`POST /beacon`).
extension Hub {
    /// Documents that are gone are remembered for beacons that come late, but not more of them than this.
    private static let rememberedDocuments = 256

    /// `{document, attach?, messages: [message.post … and responses]}`: what a document could not be sure to send as
    /// it went. `attach` holds the params of `page.attach`, from a document that never came to send them.
    ///
    /// The same numbers may come over its connection as well; the first to arrive count. Nobody is left to be
    /// answered.
    func receiveBeacon(_ body: [UInt8]) throws(RPCError) {
        let beacon = try parse(body)
        let page = try author(of: beacon)
        for message in RPCFrame(beacon["messages"] ?? .null).messages {
            switch message {
            case .notification("message.post", let params): postLeft(params ?? .null, page)
            case .success(let id, let result): finish(id, .success(result), page)
            case .failure(let id, let error, let data):
                finish(id, .failure(ResponseFailure(error: error, data: data)), page)
            default:
                tellBadPart("something that is neither a message nor an answer", page)
            }
        }
        releaseHeld()
        traffic.flush()
    }

    func parse(_ body: [UInt8]) throws(RPCError) -> JSON {
        try body.withUnsafeBytes { bytes in
            Result { () throws(JSONParseError) in try JSON.parse(bytes, nesting: limits.nesting) }
                .mapError(RPCError.parseError)
        }.get()
    }

    /// One message that can't be read costs no other: each has a number of its own.
    private func postLeft(_ params: JSON, _ page: Page) {
        do throws(RPCError) { try post(params, nil, page) } catch {
            tellBadPart("a message that can't be read: \(error.message)", page)
        }
    }

    private func tellBadPart(_ what: String, _ page: Page) {
        traffic.problem(
            "badBeacon", "A beacon of \(page.id) holds \(what).",
            hint: "The rest of it was taken. Only bridge.js posts here, for a document that has attached.", page: page)
    }

    private func author(of beacon: JSON) throws(RPCError) -> Page {
        let document = beacon["document"]?.string ?? ""
        if let page = self.document(document) { return page }
        guard let params = beacon["attach"] else {
            throw RPCError(.noSuchPage, "A beacon came from a document that is not known.")
        }
        let attach = try AttachPage(params: params)
        let page = makePage(attach)
        if let previous = attach.previous { hold(page, until: previous) }
        report(.attached, page)
        giveUp(page)
        return page
    }

    func rememberDeparted(_ page: Page) {
        departed.append(page)
        if departed.count > Hub.rememberedDocuments { departed.removeFirst() }
    }
}
