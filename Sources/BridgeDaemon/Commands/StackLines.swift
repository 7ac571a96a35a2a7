import BridgeClient
import BridgeProtocol
import BridgeTraffic
import EmulatedApp

/// The lines of `bridged tail --stacks`: what the emulated app shows after each step, and why, such as
/// `main: / › /one   modal: /new [Submit]   because the place is new and the action is advance: it is pushed`.
final class StackLines {
    /// Nil if only past records are shown, because the daemon knows only the present buttons.
    private let daemon: DaemonClient?
    private let began = Timestamp.now
    private var last: String?
    private var why: [String] = []

    init(asking daemon: DaemonClient?) { self.daemon = daemon }

    /// The records after which the app may show something else: its own, and messages of bridge components.
    static func filter(following: Bool) -> String {
        following ? "kind:app,message,problem" : "kind:app,problem text:navigation,componentReplyLost"
    }

    /// - Returns: the line to print after a record; nil if the app shows the same as before.
    func text(of line: [UInt8], _ readable: ReadableTraffic) -> String? {
        guard let record = (try? JSON.parse(line)).flatMap(TrafficRecord.init(json:)) else { return nil }
        let shown = record.time.microseconds < began.microseconds ? nil : shown
        switch record.event {
        case .app("navigation", let fields):
            why = reasons(in: fields)
            return (shown ?? StackLine(navigation: fields)).flatMap { text($0, isStep: true) }
        case .problem(let code, _, _, _, _) where code == "componentReplyLost": return readable.text(record)
        case .app, .message: return shown.flatMap { text($0, isStep: false) }
        default: return nil
        }
    }

    /// What the app shows now; nil if the daemon is not asked, or cannot be.
    private var shown: StackLine? {
        guard let state = try? daemon?.call("app.state") else { return nil }
        return StackLine(appState: state)
    }

    private func text(_ line: StackLine, isStep: Bool) -> String? {
        let stacks = "\(line)"
        guard isStep || stacks != last else { return nil }
        last = stacks
        return TerminalText.escape(stacks + (why.isEmpty ? "" : "   because \(why.joined(separator: ", and "))"))
    }

    private func reasons(in fields: [JSONValue.Member]) -> [String] {
        func texts(_ key: String) -> [String] {
            guard case .array(let texts) = fields.first(where: { $0.key == key })?.value else { return [] }
            return texts.compactMap(\.string)
        }
        let cause = fields.first { $0.key == "cause" }?.value.string
        return [cause].compactMap(\.self) + texts("why")
    }
}
