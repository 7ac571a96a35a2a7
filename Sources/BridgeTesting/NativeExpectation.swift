import BridgeProtocol

/// What a test expects of the native parts that the app shows beside the page.
public enum NativeExpectation: Sendable, Equatable {
    /// A button in the bar, by its title or its icon.
    case barButton(String)
    /// A native dialog, by its title or its text.
    case alert(String)

    private var text: String {
        switch self {
        case .barButton(let text), .alert(let text): text
        }
    }

    /// - Parameter state: the members of `app.state`.
    /// - Returns: what is there instead; nil if it is so.
    func unmet(by state: [JSONValue.Member]) -> String? {
        let texts = texts(in: ScriptValue(.object(state)).json)
        guard !texts.contains(text) else { return nil }
        let kind = if case .barButton = self { "bar button" } else { "alert" }
        return texts.isEmpty
            ? "the app shows no \(kind)" : "the app shows \(texts.map { "\"\($0)\"" }.joined(separator: ", "))"
    }

    /// The titles and icons of all buttons of the bar, or the titles and texts of all alerts.
    private func texts(in state: JSON) -> [String] {
        let screen = state["visible"]?.string.flatMap { state[$0]?.elements.last }
        var shown: [JSON?] = []
        switch self {
        case .barButton:
            shown = screen?["barButtons"]?.elements ?? []
            screen?["components"]?.forEachMember { name, component in
                switch name {
                case "button": shown += [component["left"], component["right"]]
                case "form", "overflow-menu": shown.append(component)
                default: shown += component["barButtons"]?.elements ?? []
                }
            }
        case .alert:
            shown = state["alerts"]?.elements ?? []
            screen?["components"]?.forEachMember { name, component in
                shown.append(name == "alert" && component["alert"] == nil ? component : component["alert"])
            }
        }
        return shown.compactMap(\.self).flatMap { part in names.compactMap { part[$0]?.string } }
    }

    /// The members of a part in which its user reads what it is.
    private var names: [String] {
        switch self {
        case .barButton: ["title", "icon", "image", "label"]
        case .alert: ["title", "message", "description"]
        }
    }
}

extension NativeExpectation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .barButton(let text): "a bar button \"\(text)\""
        case .alert(let text): "an alert \"\(text)\""
        }
    }
}

extension BridgedApp {
    /// Waits until the bar of the emulated app's visible screen has a button with this title or icon.
    public func expectBarButton(_ title: String, within timeout: Duration? = nil) async throws {
        try await expect(.barButton(title), within: timeout)
    }

    /// Waits until the emulated app shows a native dialog with this title or text.
    public func expectAlert(_ text: String, within timeout: Duration? = nil) async throws {
        try await expect(.alert(text), within: timeout)
    }

    func expect(_ expectation: NativeExpectation, within timeout: Duration?) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        while let found = expectation.unmet(by: app?.state ?? []) {
            guard ContinuousClock.now < deadline else {
                throw latestRecords.failure("\(expectation) within \(timeout)", found, isTimeOut: true)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
