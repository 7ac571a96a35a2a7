private import CYaml

/// Looks for keys of a YAML document that are no texts.
///
/// Yams compares the keys of each mapping, and with a key all that it stands for. A few lines of aliases of aliases would
/// take it years, and a deeply nested key minutes. So this looks at the document before Yams does. No setting has such a key.
enum YAMLKeys {
    struct WrongKey {
        /// What the key is, with an article.
        let kind: String
        let line: Int
        let column: Int
    }

    /// - Returns: the first such key of the first document; nil if there is none, or if Yams will report a mistake.
    static func firstWrongKey(in text: String) -> WrongKey? {
        var text = text
        return text.withUTF8 { bytes in
            var parser = yaml_parser_t()
            guard yaml_parser_initialize(&parser) == 1 else { return nil }
            defer { yaml_parser_delete(&parser) }
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            return firstWrongKey(&parser)
        }
    }

    private static func firstWrongKey(_ parser: inout yaml_parser_t) -> WrongKey? {
        var places = Places()
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT: return nil
            case YAML_SCALAR_EVENT: places.value()
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: places.end()
            case YAML_ALIAS_EVENT, YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
                guard !places.isKey else { return WrongKey(event) }
                places.value()
                if event.type != YAML_ALIAS_EVENT { places.begin(isMapping: event.type == YAML_MAPPING_START_EVENT) }
            default: break
            }
        }
    }

    /// Where in the sequences and mappings around it the next value is.
    private struct Places {
        private enum Place { case element, key, memberValue }

        private var places: [Place] = []

        var isKey: Bool { places.last == .key }

        mutating func begin(isMapping: Bool) { places.append(isMapping ? .key : .element) }

        mutating func end() { _ = places.popLast() }

        mutating func value() {
            guard let place = places.popLast() else { return }
            places.append(place == .key ? .memberValue : place == .memberValue ? .key : .element)
        }
    }
}

extension YAMLKeys.WrongKey {
    fileprivate init(_ event: yaml_event_t) {
        kind =
            switch event.type {
            case YAML_ALIAS_EVENT: "an alias"
            case YAML_SEQUENCE_START_EVENT: "a list"
            default: "a mapping"
            }
        (line, column) = (event.start_mark.line + 1, event.start_mark.column + 1)
    }
}
