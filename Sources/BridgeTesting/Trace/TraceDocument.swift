import BridgeProtocol
import Foundation
import WebFiles

/// The HTML of a trace: one file that needs no network. `web/trace/index.html` is its frame.
struct TraceDocument {
    /// Stands near the beginning of each trace.
    static let mark = #"<meta name="generator" content="bridged trace">"#
    /// Stands at the end of each trace that is complete.
    static let end = "</html>\n"

    private var modules: [String: String] = [:]

    /// - Parameter withoutSecrets: removes secrets from the text of a JSON object, which stays one.
    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    static func html(of trace: Trace, withoutSecrets: (String) -> String) throws -> String {
        var writer = JSONWriter()
        trace.write(to: &writer)
        let data = script("application/json", id: "trace", escaped(withoutSecrets(writer.text)))
        let pictures = trace.pictures.enumerated().filter { isBase64($1) }
            .map { script("text/plain", id: "picture-\($0)", $1) }
        let folder = "trace/"
        var document = try WebFiles.text(of: folder + "index.html")
        for link in document.matches(of: /<link rel="stylesheet" href="([^"]+)">/).reversed() {
            let styles = try WebFiles.text(of: path(of: String(link.1), in: folder))
            document.replaceSubrange(link.range, with: "<style>\n\(styles)</style>")
        }
        let program = #"<script type="module" src="main.js"></script>"#
        return document.replacing(program, with: try importMap(of: folder + "main.js"))
            .replacing("</body>", with: (pictures + [data]).joined(separator: "\n") + "\n</body>")
    }

    private static func script(_ type: String, id: String, _ text: String) -> String {
        "<script type=\"\(type)\" id=\"\(id)\">\(text)</script>"
    }

    /// Escapes what could end the element that the JSON is in, or begin a comment there.
    private static func escaped(_ json: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count)
        for byte in json.utf8 {
            if byte == UInt8(ascii: "<") { bytes += Array(#"\u003c"#.utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a picture can stand in an element as it is. An empty one was left out.
    private static func isBase64(_ picture: String) -> Bool {
        !picture.isEmpty
            && picture.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }

    // MARK: Modules

    /// The modules in `data:` URLs. Those have no folder that a relative import could be relative to, so each module
    /// imports others by their paths in `web/`, to which the map gives URLs.
    private static func importMap(of main: String) throws -> String {
        var document = TraceDocument()
        try document.add(main)
        let imports = document.modules.sorted { $0.key < $1.key }.map { path, source in
            JSONValue.Member(
                path, .string("data:text/javascript;charset=utf-8;base64,\(Data(source.utf8).base64EncodedString())"))
        }
        let map = JSONValue.object([.init("imports", .object(imports))]).text
        return """
            <script type="importmap">\(map)</script>
            <script type="module">import "\(main)"</script>
            """
    }

    /// Adds a module and those that it imports.
    private mutating func add(_ module: String) throws {
        guard modules[module] == nil else { return }
        let folder = module.prefix(through: module.lastIndex(of: "/") ?? module.startIndex)
        var source = try WebFiles.text(of: module)
        modules[module] = source
        for found in source.matches(of: /(?m)^import .* from "(\.[^"]+)"$/).reversed() {
            let path = TraceDocument.path(of: String(found.1), in: String(folder))
            try add(path)
            source.replaceSubrange(found.1.startIndex..<found.1.endIndex, with: path)
        }
        modules[module] = source
    }

    /// The path in `web/` of a file that another one names.
    private static func path(of name: String, in folder: String) -> String {
        var parts = folder.split(separator: "/")
        for part in name.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}

extension TraceDocument {
    /// How many bytes at the beginning and the end of a file say whether it is a trace.
    static let markedSize = 2_000

    /// Checks a file that somebody wants to see.
    /// - Parameters:
    ///   - beginning: its first bytes.
    ///   - end: its last bytes.
    /// - Returns: what is wrong with it; nil if it is a trace.
    static func problem(of beginning: [UInt8], _ end: [UInt8]) -> String? {
        guard String(decoding: beginning, as: UTF8.self).contains(mark) else {
            return "It is no trace. Name a file that bridged test wrote for a failed flow."
        }
        guard end.suffix(self.end.utf8.count).elementsEqual(self.end.utf8) else {
            return "It is not complete: its end is missing. Was the disk full, or is it a part of a download?"
        }
        return nil
    }
}
