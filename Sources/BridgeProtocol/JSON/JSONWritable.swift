/// A value that has a JSON form.
public protocol JSONWritable {
    /// Appends exactly one JSON value.
    func write(to writer: inout JSONWriter)
}

extension JSONWritable {
    /// The value as compact JSON.
    public var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }
}

/// A value whose JSON form is an object. Code on the path of messages uses the writer directly, which is faster.
public protocol JSONObject: JSONWritable {
    var members: JSONMembers { get }
}

/// The members of an object in the order in which they are written. One whose value is nil is left out.
public typealias JSONMembers = KeyValuePairs<String, (any JSONWritable)?>

extension JSONObject {
    public func write(to writer: inout JSONWriter) { writer.object(writeMembers) }

    /// Writes the members into the current object.
    public func writeMembers(to writer: inout JSONWriter) {
        for case (let key, let value?) in members { writer.member(named: key, value) }
    }
}

extension String: JSONWritable {
    @inlinable public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    @inlinable public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONWritable {
    @inlinable public func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

extension JSON: JSONWritable, CustomStringConvertible {
    public func write(to writer: inout JSONWriter) { writer.json(self) }

    /// The value as compact JSON.
    public var description: String { text }
}
