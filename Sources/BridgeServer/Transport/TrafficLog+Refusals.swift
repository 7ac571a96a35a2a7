import BridgeTraffic

extension TrafficLog {
    /// Records a request or a connection that was refused, as a `problem` record.
    func report(_ refusal: Refusal) {
        problem(refusal.code.rawValue, refusal.text, hint: refusal.hint)
        flush()
    }
}
