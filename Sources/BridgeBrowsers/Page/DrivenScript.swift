import BridgeProtocol
import Foundation
import WebFiles

/// `web/driven.js` with the settings of one world, and the names under which a browser offers its driver to it.
struct DrivenScript {
    /// The message of the dialog with which the script calls a method of an interface object. No page can guess it.
    static let secret = "bridged " + UUID().uuidString

    /// The function expression of `web/driven.js`.
    private let program: String

    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    init() throws {
        program = try WebFiles.script("driven.js").trimmedLines
    }

    /// Returns the script for a world.
    /// - Parameters:
    ///   - send: an expression of the function that takes text for the driver.
    ///   - expose: an expression of the function that hands an object to the driver.
    func source(_ settings: WebViewSettings, world: String?, send: String, expose: String) -> String {
        var writer = JSONWriter(escaping: .html)
        WorldSettings(settings: settings, world: world).write(to: &writer)
        return "(\(program))(\(writer.text), \(send), \(expose))"
    }
}

extension String {
    /// The text without line ends at its end.
    fileprivate var trimmedLines: String {
        var text = self[...]
        while text.last?.isNewline == true { text.removeLast() }
        return String(text)
    }
}

/// What `web/driven.js` sends to the driver, line by line.
enum DrivenLine {
    case document(DrivenPage.Introduction)
    case message(id: Int, ScriptMessage)
    /// A JSON-RPC notification for the daemon.
    case frame(String)
    /// The document may not run scripts.
    case scriptsOff
    /// A user script that the page's policy forbids, and that the driver has to run.
    case script(name: String, source: String)

    /// Reads the lines of one call, and leaves out what is not such a line. Pages cannot find the driver's function: a
    /// line can hold a frame that goes to the daemon as the driver's.
    static func read(_ text: String, world: String?) -> [DrivenLine] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var found: [DrivenLine] = []
        while let head = lines.popFirst() {
            let words = head.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { continue }
            switch words[0] {
            case "document":
                if let json = try? JSON.parse(words[1]) { found.append(.document(DrivenPage.Introduction(json))) }
            case "scripts": found.append(.scriptsOff)
            case "frame": found.append(.frame(String(words[1])))
            case "script":
                guard let name = string(words[1]), let source = lines.popFirst().flatMap(string) else { continue }
                found.append(.script(name: name, source: source))
            case "post", "request":
                let parts = words[1].split(separator: " ", maxSplits: 1)
                guard parts.count == 2, let id = Int(parts[0]), let handler = string(parts[1]),
                    let members = lines.popFirst()
                else { continue }
                let message = ScriptMessage(
                    handler: handler, world: world, replies: words[0] == "request", members: String(members))
                found.append(.message(id: id, message))
            default: continue
            }
        }
        return found
    }

    /// Reads a JSON string.
    private static func string(_ text: Substring) -> String? {
        guard let json = try? JSON.parse("[\(text)]"), json.elements.count == 1 else { return nil }
        return json.elements[0].string
    }
}

extension DrivenPage.Introduction {
    fileprivate init(_ json: JSON) {
        let frame = json["frame"]
        self.init(
            url: frame?["url"]?.string ?? "", origin: frame?["origin"]?.string ?? "null",
            isMainFrame: frame?["isMainFrame"]?.bool ?? true, title: json["title"]?.string ?? "",
            readyState: json["readyState"]?.string ?? "loading", userAgent: json["userAgent"]?.string ?? "")
    }
}
