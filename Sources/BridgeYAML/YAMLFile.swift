import BridgeInput
public import BridgeProtocol
import Foundation
import Yams

/// A YAML document. Its values have their lines and columns, so that errors can name them.
public struct YAMLFile: Sendable {
    /// The file's name, as messages show it.
    public let name: String
    public let root: YAMLValue

    /// The largest file that is read, in bytes.
    public static let maximumSize = 4 << 20
    /// The most values of a document. An alias counts as what it stands for: a few lines of aliases of aliases would
    /// take all memory.
    static let maximumValues = 1_000_000

    /// Reads a file.
    ///
    /// - Throws: ``YAMLError``, also if the file cannot be read.
    public init(path: String) throws(YAMLError) {
        let contents: [UInt8]
        do throws(InputFileError) { contents = try InputFile.contents(ofPath: path, limit: YAMLFile.maximumSize) } catch
        {
            throw YAMLError(unreadable: path, because: error.reason)
        }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw YAMLError(notUTF8: contents, file: path)
        }
        try self.init(name: path, text: text)
    }

    /// Parses the text of a file.
    ///
    /// - Parameter name: the file's name, as messages show it.
    public init(name: String, text: String) throws(YAMLError) {
        self.name = name
        do {
            // libyaml takes the mark of some editors at the beginning for a character of the document.
            let mark: Unicode.Scalar = "\u{FEFF}"
            let text = text.unicodeScalars.first == mark ? String(text.unicodeScalars.dropFirst()) : text
            if let key = YAMLKeys.firstWrongKey(in: text) {
                throw YAMLError(
                    file: name, line: key.line, column: key.column,
                    message: "A key must be a text, and this one is \(key.kind). Write the text itself.")
            }
            guard let node = try Yams.compose(yaml: text) else {
                root = YAMLValue(file: name, line: 1, column: 1, content: .scalar(.null, text: ""))
                return
            }
            var room = YAMLFile.maximumValues
            root = try YAMLValue(node, file: name, &room)
        } catch let error as YAMLError {
            throw error
        } catch let error as YamlError {
            throw YAMLError(error, file: name)
        } catch {
            throw YAMLError(file: name, message: "\(error)")
        }
    }
}

/// One value of a YAML document, with its place.
public struct YAMLValue: Sendable {
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    public let content: Content

    public indirect enum Content: Sendable {
        /// A scalar. `text` is its text in the file, without quotation marks.
        case scalar(JSONValue, text: String)
        case sequence([YAMLValue])
        case mapping([Member])
    }

    public struct Member: Sendable {
        public let key: String
        public let keyLine: Int
        public let keyColumn: Int
        public let value: YAMLValue
    }

    init(file: String, line: Int, column: Int, content: Content) {
        self.file = file
        self.line = line
        self.column = column
        self.content = content
    }

    /// - Parameter room: how many values there is room for.
    init(_ node: Node, file: String, _ room: inout Int) throws(YAMLError) {
        room -= 1
        guard room >= 0 else {
            throw YAMLError(
                file: file, line: node.mark?.line, column: node.mark?.column,
                message:
                    "The file has more than \(YAMLFile.maximumValues) values. Each *name counts as all values that "
                    + "it stands for: write less, or use fewer of them.")
        }
        let content: Content
        switch node {
        case .scalar(let scalar): content = .scalar(YAMLValue.scalar(node), text: scalar.string)
        case .sequence(let nodes):
            var values: [YAMLValue] = []
            for node in nodes { values.append(try YAMLValue(node, file: file, &room)) }
            content = .sequence(values)
        case .mapping(let pairs):
            var members: [Member] = []
            for (key, value) in pairs {
                members.append(
                    Member(
                        key: key.string ?? "", keyLine: key.mark?.line ?? 1, keyColumn: key.mark?.column ?? 1,
                        value: try YAMLValue(value, file: file, &room)))
            }
            content = .mapping(members)
        case .alias: content = .scalar(.null, text: "")
        }
        self.init(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1, content: content)
    }

    /// Returns the value of a scalar. As in YAML's core schema, plain text can be a number, a boolean or null, and
    /// quoted text is a string. Text with a colon is a string, too: Yams would take 12:30 for 12 × 60 + 30, as YAML 1.1
    /// did, and end the process if such a number is too large.
    private static func scalar(_ node: Node) -> JSONValue {
        if let text = node.scalar?.string, text.contains(":") { return .string(text) }
        return switch node.any {
        case let value as Bool: .bool(value)
        case let value as Int: .number(Double(value))
        case let value as Double: .number(value)
        case is NSNull: .null
        default: .string(node.string ?? "")
        }
    }

    /// The value without its places.
    public var json: JSONValue {
        switch content {
        case .scalar(let value, _): value
        case .sequence(let elements): .array(elements.map(\.json))
        case .mapping(let members): .object(members.map { JSONValue.Member($0.key, $0.value.json) })
        }
    }
}

/// A mistake in a YAML file.
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    public let file: String
    public let line: Int?
    public let column: Int?
    public var message: String
    /// Whether the file could not be read.
    public private(set) var isUnreadable = false
    /// Other files in which the mistake may be corrected, such as one that is missing.
    public var otherFiles: Set<String> = []

    public init(unreadable file: String, because reason: String) {
        self.init(file: file, message: "Can't be read: \(reason).")
        isUnreadable = true
    }

    public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// The error with its place, such as `bridged.yml:3:1: There is no key "prot" here. Did you mean "port"?`
    public var description: String {
        ([file] + [line, column].compactMap(\.self).map(String.init)).joined(separator: ":") + ": \(message)"
    }
}

extension YAMLError {
    fileprivate init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let start = YAMLError.unended.contains(problem) ? context?.mark : nil
            self.init(
                file: file, line: mark.line, column: mark.column,
                message: "Not valid YAML: \(YAMLError.words[problem] ?? problem)."
                    + (start.map { " It begins in line \($0.line), column \($0.column)." } ?? ""))
        case .duplicatedKeysInMapping(let keys, let context):
            self.init(
                file: file, line: context.mark.line, column: context.mark.column,
                message: "These keys occur more than once: \(keys.joined(separator: ", ")).")
        default: self.init(file: file, message: "Not valid YAML: \(error)")
        }
    }

    fileprivate init(notUTF8 contents: [UInt8], file: String) {
        let place = zip(String(decoding: contents, as: UTF8.self).utf8, contents).prefix { $0 == $1 }.count
        let line = contents.prefix(place).count { $0 == UInt8(ascii: "\n") } + 1
        self.init(
            file: file, line: line,
            message: "Expected UTF-8, found byte \(contents.dropFirst(place).first ?? 0) there. Save the file as UTF-8."
        )
    }

    /// libyaml's words for something without an end. The place of the error is far behind its beginning, often in the last
    /// line.
    private static let unended: Set<String> = [
        "found unexpected end of stream", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
    ]

    /// What libyaml's words mean, and what can be done.
    private static let words = [
        "mapping values are not allowed in this context":
            "a second \": \" is in this value, or the line is indented more than the one above. A text with \": \" needs "
            + "quotation marks",
        "could not find expected ':'": "a key has no \": \" behind it, or the line above is not indented as this one",
        "did not find expected key": "the line is not indented as those above, or a quotation mark is missing",
        "did not find expected '-' indicator":
            "this is no element of the list above: begin it with \"- \", or indent it as what it belongs to",
        "block sequence entries are not allowed in this context":
            "a list that begins with \"- \" needs a line of its own",
        "found character that cannot start any token":
            "no value begins with this character. Indent with spaces, not with tabs, and put a text that begins with @ or ` "
            + "into quotation marks",
        "found unexpected end of stream": "a quotation mark is missing at the end of a text",
        "did not find expected ',' or ']'": "a list has no \",\" between its elements, or no \"]\" at its end",
        "did not find expected ',' or '}'": "a mapping has no \",\" between its members, or no \"}\" at its end",
        "did not find expected node content": "a value is missing here",
        "did not find expected alphabetic or numeric character":
            "a text that begins with * or & needs quotation marks",
        "but found another document":
            "a line --- begins a second document, and only one is read. Remove the line, or make two files",
        "found undefined alias": "a text that begins with * needs quotation marks",
        "found unknown escape character":
            "a backslash in double quotation marks begins an escape: write it twice, or use single quotation marks",
    ]
}
