import BridgeProtocol
import BridgeTraffic
import Foundation

/// What the user did, and where the screens were, each with the number of the record before it.
@MainActor final class TourNotes {
    var steps: [(after: Int, step: JSONValue)] = []
}

/// The messages of a page's adapter and the app's calls, in the order in which a page without Turbo can repeat them.
struct TourRecording {
    let text: String

    init(_ traffic: [TrafficRecord], _ notes: [(after: Int, step: JSONValue)], origin: String) {
        var notes = notes[...]
        var lines: [String] = []
        // What the app did since the last message: the record of a message follows those of its effects. What follows an
        // action of the user is the action's effect.
        var effects: [String] = []
        var followsAction = false
        for record in traffic {
            while let note = notes.first, note.after < record.record {
                notes.removeFirst()
                lines += effects + [note.step.text]
                effects = []
                followsAction = note.step["perform"] != nil
            }
            if case .message("turbo", let name?, let body, _, _) = record.event {
                let data = body.json["data"]?.text ?? "{}"
                // The page is there already when the recording is played.
                if lines.isEmpty { effects = [] }
                lines.append(#"{"post":"\#(name)","data":\#(TourRecording.withoutTimestamp(data))}"#)
                lines += effects
                effects = []
                followsAction = false
            } else if let effect = TourRecording.effect(record.event) {
                if followsAction { lines.append(effect) } else { effects.append(effect) }
            }
        }
        lines += effects + notes.map(\.step.text)
        text = "[\n" + lines.joined(separator: ",\n").replacing(origin, with: "http://localhost:3000") + "\n]\n"
    }

    /// A call of the adapter, or a load of the web view.
    private static func effect(_ event: TrafficRecord.Event) -> String? {
        switch event {
        case .evaluate(_, let source) where source.hasPrefix("window.turboNative."):
            JSONValue.object([.init("call", .string(source))]).text
        case .app("visit", let fields) where JSONValue.object(fields)["visit"]?.string == "coldBoot": #"{"load":true}"#
        default: nil
        }
    }

    private static func withoutTimestamp(_ data: String) -> String {
        data.replacing(/"timestamp":[0-9]+,|,?"timestamp":[0-9]+/, with: "")
    }
}
