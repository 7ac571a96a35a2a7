import BridgeProtocol

/// What `web/driven.js` sends to the driver, line by line.
///
/// A page might find the function that takes these lines. So a line can do no more than the page may do anyway: it is
/// read as the daemon would read it, and what the daemon gets has only the members that belong there.
enum DrivenLine {
    case document(DrivenPage.Introduction)
    case message(id: Int, ScriptMessage)
    /// A message that cannot be delivered.
    case unreadable(id: Int, handler: String, reason: String)
    case update(UpdatePage)
    case console(ConsoleEntry)
    /// The page wants to use the camera or the microphone.
    case media(id: Int, [CaptureDevice])
    /// The page wants to know where the device is.
    case location(id: Int)
    /// The document may not run scripts.
    case scriptsOff
    /// The page listens to `pagehide`; or that is now, and the driver hears it.
    case departure(isNow: Bool)
    /// A user script that the page's policy forbids, and that the driver has to run.
    case script(name: String, source: String)
    /// `web/driven.js` writes no such line.
    case unknown

    /// Reads the lines of one call.
    static func read(_ text: String, world: String?) -> [DrivenLine] {
        // Much faster than a search for characters: a message may have megabytes.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Substring.init)[...]
        var found: [DrivenLine] = []
        while let head = lines.popFirst() { found.append(read(head, &lines, world) ?? .unknown) }
        return found
    }

    private static func read(
        _ head: Substring, _ lines: inout ArraySlice<Substring>, _ world: String?
    ) -> DrivenLine? {
        let words = head.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "document": return (try? JSON.parse(words[1])).map { .document(DrivenPage.Introduction($0)) }
        case "scripts": return .scriptsOff
        case "departure": return .departure(isNow: words[1] == "heard")
        case "frame":
            switch (try? JSON.parse(words[1])).map({ PageMessage(RPCMessage($0)) }) {
            case .update(let update, nil): return .update(update)
            case .console(let entry, nil): return .console(entry)
            default: return nil
            }
        case "script":
            guard let name = string(words[1]), let source = lines.popFirst().flatMap(string) else { return nil }
            return .script(name: name, source: source)
        case "media":
            let parts = words[1].split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let id = Int(parts[0]), let names = try? JSON.parse(parts[1]) else { return nil }
            let devices = names.elements.compactMap(\.string).compactMap(CaptureDevice.init)
            return devices.isEmpty ? nil : .media(id: id, devices)
        case "location": return words[1].split(separator: " ").first.flatMap { Int($0) }.map { .location(id: $0) }
        case "post", "request":
            let parts = words[1].split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let id = Int(parts[0]), let handler = string(parts[1]),
                let members = lines.popFirst()
            else { return nil }
            do throws(RPCError) {
                try ScriptMessage.check(handler: handler, members: members)
            } catch {
                return .unreadable(id: id, handler: handler, reason: error.message)
            }
            let replies = words[0] == "request"
            let message = ScriptMessage(handler: handler, world: world, replies: replies, members: String(members))
            return .message(id: id, message)
        default: return nil
        }
    }

    /// Reads a JSON string.
    private static func string(_ text: Substring) -> String? {
        guard let json = try? JSON.parse("[\(text)]"), json.elements.count == 1 else { return nil }
        return json.elements[0].string
    }
}

extension ScriptMessage {
    /// How many values a message may have that the driver reads. A daemon takes fewer, unless it was told otherwise.
    private static let valueLimit = 1_000_000

    /// Checks that a text has the members of a message, and no others.
    fileprivate static func check(handler: String, members: Substring) throws(RPCError) {
        let params: JSON
        do {
            params = try JSON.parse(Array("{\(members)}".utf8), JSON.Limits(values: valueLimit))
        } catch {
            throw .parseError(error)
        }
        try params.forEachMember { key, _ throws(RPCError) in
            guard key == "body" || key == "types" else {
                throw .invalidParams(at: "/\(key)", "expected no such member")
            }
        }
        _ = try ScriptValue(params: params, key: "body")
        guard handler.utf8.count <= PageText.handler else {
            throw .invalidParams(at: "/handler", "expected at most \(PageText.handler) bytes")
        }
    }
}

extension DrivenPage.Introduction {
    fileprivate init(_ json: JSON) {
        let frame = json["frame"]
        self.init(
            url: frame?["url"]?.string ?? "",
            origin: PageText.cut(frame?["origin"]?.string ?? "null", to: PageText.origin - 3),
            isMainFrame: frame?["isMainFrame"]?.bool ?? true,
            title: PageText.cut(json["title"]?.string ?? "", to: PageText.title),
            readyState: ["interactive", "complete"].first { $0 == json["readyState"]?.string } ?? "loading",
            userAgent: PageText.cut(json["userAgent"]?.string ?? "", to: PageText.userAgent))
        isRestored = json["restored"]?.bool == true
        frameName = json["name"]?.string.map { PageText.cut($0, to: PageText.word) }
    }
}
