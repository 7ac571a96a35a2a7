import BridgeProtocol

extension Page {
    /// Runs a script like Android's `WebView.evaluateJavascript(script, callback)`.
    ///
    /// - Parameter callback: receives the completion value as JSON text, once, on the main actor. It is `"null"` for
    ///   undefined, for a function and for a script that throws; the traffic log has the error.
    public func evaluateJavascript(_ script: String, callback: (@MainActor (String) -> Void)? = nil) {
        evaluate(script) { result in callback?((try? result.get())?.androidJSON ?? "null") }
    }
}

extension ScriptValue {
    /// The value as JSON text, converted as Chromium does (`V8ValueConverterImpl`): a date becomes its seconds since
    /// 1970. Values that JSON cannot express are left out of objects, and are null elsewhere.
    fileprivate var androidJSON: String {
        var writer = JSONWriter()
        writeAndroid(to: &writer)
        return writer.text
    }

    private func writeAndroid(to writer: inout JSONWriter) {
        switch kind {
        case .undefined, .reference, .null: writer.null()
        case .bool: writer.bool(bool ?? false)
        case .number: writer.number(number ?? 0)
        case .string: writer.string(string ?? "")
        case .date: writer.number(date?.timeIntervalSince1970 ?? 0)
        case .array:
            writer.array { writer in
                for index in 0..<json.count { child(index: index)?.writeAndroid(to: &writer) }
            }
        case .object:
            writer.object { writer in
                json.forEachMember { key, _ in
                    guard let member = child(key), ![.undefined, .reference].contains(member.kind) else { return }
                    if member.number.map(\.isFinite) == false { return }
                    writer.key(named: key)
                    member.writeAndroid(to: &writer)
                }
            }
        }
    }
}
