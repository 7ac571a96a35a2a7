import BridgeProtocol

/// Runs the scripts of native code in a page: a model of `web/bridge/evaluator.js`. Each script returns its number.
struct SimulatedEvaluator {
    private struct Request {
        let id: Int
        let script: Int
        let isFunction: Bool
        /// How often the page had attached anew when it got the request.
        let era: Int
    }

    /// The response by request id, or nil until there is one.
    private var responses: [Int: [UInt8]?] = [:]
    private var requests: [Request] = []
    /// The functions whose promise has not settled.
    private var pending: [Request] = []

    private var era = 0
    /// The id of the request that ran last.
    private(set) var lastID = 0

    var hasRequests: Bool { !requests.isEmpty }
    var pendingCount: Int { pending.count }

    /// The daemon has started again, and counts its requests from 1. What has not run yet still runs, but no response
    /// is sent to it.
    mutating func forget() {
        responses = [:]
        era += 1
    }

    /// Queues a request. Returns the response if the script has run already.
    mutating func receive(id: Int, script: Int, isFunction: Bool) -> [UInt8]? {
        if let known = responses[id] { return known }
        responses[id] = .some(nil)
        requests.append(Request(id: id, script: script, isFunction: isFunction, era: era))
        return nil
    }

    /// Forgets what has run: only for `Mistake.runsEvaluationsAgain`.
    mutating func forgetResponses() {
        let running = Set(requests.map(\.id) + pending.map(\.id))
        responses = responses.filter { running.contains($0.key) }
    }

    /// Runs the next script.
    /// - Returns: the number of the script, and its response unless it is still pending.
    mutating func run() -> (script: Int, response: [UInt8]?)? {
        guard !requests.isEmpty else { return nil }
        let request = requests.removeFirst()
        lastID = request.id
        if request.isFunction {
            pending.append(request)
            return (request.script, nil)
        }
        return (request.script, finish(request))
    }

    /// Settles the promise of a function. Returns its response.
    mutating func settle(_ index: Int) -> [UInt8]? {
        pending.isEmpty ? nil : finish(pending.remove(at: index % pending.count))
    }

    private mutating func finish(_ request: Request) -> [UInt8]? {
        guard request.era == era, responses[request.id] != nil else { return nil }
        let response = Wire.result(id: request.id, value: request.script)
        responses[request.id] = .some(response)
        return response
    }
}
