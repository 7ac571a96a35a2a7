import BridgeServer

extension PageHandOver {
    /// Reads the fields of a page's state.
    /// - Returns: nil if they are not what a node has written.
    init?(_ fields: RedisReply) {
        var values: [String: RedisReply] = [:]
        var evaluations: [(id: Int, evaluation: [UInt8])] = []
        var replies: [(seq: Int, reply: [UInt8])] = []
        for (name, value) in fields.pairs {
            if let id = Int(after: "evaluation:", in: name), let text = value.bytes {
                evaluations.append((id, text))
            } else if let seq = Int(after: "reply:", in: name), let reply = value.bytes {
                replies.append((seq, reply))
            } else {
                values[name] = value
            }
        }
        // The next numbers are counted from these.
        let counts = ["epoch", "lastSeq", "lastEvaluation"].compactMap { values[$0]?.number }
        guard let epoch = values["epoch"]?.number, counts.allSatisfy(ClusterLimits.numbers.contains) else { return nil }
        self.init(epoch: epoch, run: values["run"]?.number ?? 0)
        page = values["page"]?.string ?? ""
        lastSeq = values["lastSeq"]?.number ?? 0
        lastEvaluation = values["lastEvaluation"]?.number ?? 0
        isGone = values["gone"] != nil
        self.evaluations = evaluations.sorted { $0.id < $1.id }
        self.replies = replies.sorted { $0.seq < $1.seq }
    }
}

extension Int {
    fileprivate init?(after prefix: String, in name: String) {
        guard name.hasPrefix(prefix) else { return nil }
        self.init(name.dropFirst(prefix.count))
    }
}
