import BridgeProtocol

extension Page {
    /// Runs a script as Android's `WebView.evaluateJavascript(script, callback)`.
    ///
    /// - Parameter callback: gets the completion value as JSON text, once, on the main actor: `"null"` for undefined, for
    ///   a function and for a script that throws. The traffic log says why.
    public func evaluateJavascript(_ script: String, callback: (@MainActor (String) -> Void)? = nil) {
        evaluate(script) { result in callback?((try? result.get())?.androidJSON ?? "null") }
    }
}

extension ScriptValue {
    /// As Chromium converts what a script gives (`V8ValueConverterImpl`): a date is its seconds since 1970, what JSON has
    /// no form for is left out of objects and null elsewhere.
    var androidJSON: String {
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
