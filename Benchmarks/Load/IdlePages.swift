/// Measures one page's round trips while more and more other pages sit idle, and how long those take to attach.
struct IdlePages {
    let peer: Load.Peer
    let port: UInt16

    /// - Parameters:
    ///   - counts: the numbers of idle pages, in ascending order.
    ///   - messages: how many round trips to measure beside each number.
    /// - Returns: a JSON array with an object for each number. Times are in microseconds.
    func run(counts: [Int], messages: Int, text: String) throws -> String {
        let page = try LoadLoop(peer: peer, port: port, connections: 1)
        var idle: [Client] = []
        var attaching = Samples()
        var points: [String] = []
        for count in counts {
            while idle.count < count {
                let start = LoadLoop.now
                idle.append(try Client(peer: peer, port: port, number: idle.count + 1))
                attaching.times.append(LoadLoop.now - start)
            }
            _ = try page.run(messages: messages / 10, inFlight: 1, text: text)
            let trips = try page.run(messages: messages, inFlight: 1, text: text)
            let latest = Samples(times: attaching.times.suffix(100))
            points.append(
                "{\"idle\": \(count), \"median\": \(trips.percentile(0.5)), \"p99\": \(trips.percentile(0.99)), "
                    + "\"attach\": \(latest.percentile(0.5))}")
        }
        return "[\(points.joined(separator: ", "))]"
    }
}
