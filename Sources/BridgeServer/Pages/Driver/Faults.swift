import BridgeProtocol

/// A fault that a tool has added.
struct ActiveFault: Sendable {
    /// `f1`, `f2`, … in each run of the daemon.
    let id: String
    let fault: Fault
    /// The web view to whose pages it applies; nil for all web views.
    let webView: String?
    /// The number of requests to which drivers have applied it.
    var hits = 0

    func applies(to webView: String) -> Bool { ActiveFault.applies(self.webView, to: webView) }

    /// - Parameter own: the web view of a fault, to which the windows that its pages open belong; nil for all.
    static func applies(_ own: String?, to webView: String) -> Bool {
        guard let own else { return true }
        return webView == own || webView == "\(own).popup"
    }
}

/// All faults, oldest first. This type does no I/O.
struct Faults {
    /// How many faults tools may add. Each change of the faults sends the whole list to every driven page.
    static let limit = 256

    private(set) var all: [ActiveFault] = []
    private var count = 0

    mutating func add(_ fault: Fault, webView: String?) -> ActiveFault {
        count += 1
        let added = ActiveFault(id: "f\(count)", fault: fault, webView: webView)
        all.append(added)
        return added
    }

    /// - Returns: nil if there is no such fault.
    mutating func remove(_ id: String) -> ActiveFault? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: index)
    }

    /// Counts a request.
    /// - Returns: the fault if it was its last one; it is removed then.
    mutating func use(_ id: String) -> ActiveFault? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        all[index].hits += 1
        return all[index].hits == all[index].fault.times ? all.remove(at: index) : nil
    }
}

extension ActiveFault: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("fault", id)
            fault.writeMembers(to: &writer)
            writer.member("webView", ifPresent: webView)
            writer.member("hits", hits)
        }
    }
}
