import CYaml

/// Finds out how many values a YAML text has when its aliases are replaced by what they stand for, without replacing
/// them.
///
/// Composing takes about 10 µs for each value, and ten lines of aliases of aliases can stand for billions of them
/// ("billion laughs").
enum YAMLLimits {
    /// How many values a file may have. Keys count, too.
    static let maximumValues = 100_000
    /// How deep lists and mappings may be nested.
    static let maximumDepth = 100

    /// - Throws: ``YAMLError`` at the alias or the list that is too much. Mistakes in the text itself are left to the
    ///   parser that composes the values.
    static func check(_ text: String, file: String) throws(YAMLError) {
        var text = text
        var problem: YAMLError?
        text.withUTF8 { bytes in
            do throws(YAMLError) { try check(bytes, file: file) } catch { problem = error }
        }
        if let problem { throw problem }
    }

    private static func check(_ bytes: UnsafeBufferPointer<UInt8>, file: String) throws(YAMLError) {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return }
        defer { yaml_parser_delete(&parser) }
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
        var count = ValueCount()
        var isFinished = false
        while !isFinished {
            var event = yaml_event_t()
            guard yaml_parser_parse(&parser, &event) == 1 else { return }
            defer { yaml_event_delete(&event) }
            isFinished = event.type == YAML_STREAM_END_EVENT
            guard let message = count.add(event) else { continue }
            throw YAMLError(
                file: file, line: Int(clamping: event.start_mark.line) + 1,
                column: Int(clamping: event.start_mark.column) + 1, message: message)
        }
    }
}

/// Counts the values of a text, with those that its aliases stand for.
private struct ValueCount {
    private struct Collection {
        let anchor: String?
        /// The collection itself and all values in it.
        var values = 1
    }

    private var open: [Collection] = []
    /// The number of values that each anchor names.
    private var values: [String: Int] = [:]
    private var total = 0

    /// - Returns: why the text must not be composed; nil if nothing is wrong so far.
    mutating func add(_ event: yaml_event_t) -> String? {
        switch event.type {
        case YAML_SCALAR_EVENT, YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: total = sum(total, 1)
        case YAML_ALIAS_EVENT: total = sum(total, aliased(event))
        default: break
        }
        switch event.type {
        case YAML_SCALAR_EVENT: finish(Collection(anchor: text(event.data.scalar.anchor)))
        case YAML_ALIAS_EVENT: add(aliased(event))
        case YAML_SEQUENCE_START_EVENT: open.append(Collection(anchor: text(event.data.sequence_start.anchor)))
        case YAML_MAPPING_START_EVENT: open.append(Collection(anchor: text(event.data.mapping_start.anchor)))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            if let collection = open.popLast() { finish(collection) }
        default: break
        }
        if total > YAMLLimits.maximumValues {
            return """
                The file has more than \(YAMLLimits.maximumValues) values up to here, counting keys, and aliases as what \
                they stand for. Leave some away.
                """
        }
        guard open.count > YAMLLimits.maximumDepth else { return nil }
        return "Lists and mappings are nested more than \(YAMLLimits.maximumDepth) deep here. Nest them less."
    }

    private func aliased(_ event: yaml_event_t) -> Int { text(event.data.alias.anchor).flatMap { values[$0] } ?? 1 }

    private mutating func finish(_ collection: Collection) {
        if let anchor = collection.anchor { values[anchor] = collection.values }
        add(collection.values)
    }

    private mutating func add(_ values: Int) {
        guard let last = open.indices.last else { return }
        open[last].values = sum(open[last].values, values)
    }

    /// The sum, or the greatest number if the sum is too large for one.
    private func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    private func text(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? { anchor.map { String(cString: $0) } }
}
