import BridgeProtocol

/// What can be said of a page in an app of its own, which is only observed. The doctor runs no script in it.
extension Diagnosis {
    /// - Parameter messages: the page's messages, the oldest first.
    static func findings(observed device: DeviceInfo, _ messages: [JSON]) -> [Finding] {
        let place = Finding(
            .ok, "observed",
            "The page is in an app of its own (\(device)), and bridge.js observes it: \(messages.count) messages so far."
        )
        let limits = Finding(
            .note, "notSeen",
            "Not seen from inside a page: scripts of native code that call nothing known, and what scripts return; what "
                + "came before bridge.js; loads that native code refuses; native screens.",
            fix:
                "Put the tag of bridge.js first in <head>, and name what else native code calls in bridged.yml, such as "
                + "observe: [myApp.bridge]. docs/notes/devices.md has the whole list.")
        return [place, limits] + droppedHere(messages)
    }

    /// Makes a finding for each way in which this daemon's app would drop what the page's own app took.
    private static func droppedHere(_ messages: [JSON]) -> [Finding] {
        let dropped = messages.compactMap { message in message["here"].map { (message, $0) } }
        let kinds = dropped.map { "\($0.handlerName) \($1["reason"]?.string ?? "")" }
        return kinds.enumerated().filter { kinds.firstIndex(of: $1) == $0 }.map { index, kind in
            let (message, here) = dropped[index]
            let reason = here["reason"]?.string ?? ""
            return Finding(
                .warning, "droppedHere",
                "The app took a message to \(message.handlerName) (record \(message["record"]?.wholeNumber ?? 0)), which here "
                    + "would be dropped: \(reason)" + times(kinds.count { $0 == kind }, "verdict:observed"),
                fix: here["hint"]?.string ?? "See docs/verdicts.md.")
        }
    }
}
