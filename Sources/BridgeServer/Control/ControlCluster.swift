import BridgeProtocol
package import BridgeTraffic

/// The cluster that this daemon belongs to, as the control channel uses it. The module `BridgeCluster` implements it.
/// On the main actor.
@MainActor package protocol ControlCluster: AnyObject {
    /// The name of this daemon's node.
    var node: String { get }
    /// The traffic of all nodes, with numbers of its own.
    var traffic: TrafficLog { get }

    /// Finds the node that is to answer a call.
    /// - Parameter limit: how long to wait for a page of a web view to attach to any node.
    /// - Returns: nil if this node is to answer.
    /// - Throws: an error that says why no node can.
    func node(for subject: CallSubject, within limit: Duration) async throws(RPCError) -> String?

    /// Lets another node answer a call.
    /// - Parameter params: the params of the call, as JSON text.
    /// - Returns: the result, as JSON text.
    /// - Throws: the error of the method, or one that says that the node is gone or does not answer.
    func call(
        _ method: String, _ params: [UInt8], on node: String, within limit: Duration
    ) async throws(RPCError) -> [UInt8]

    /// The pages of the other nodes, as `pages.list` describes them, oldest first; empty if they are not known now.
    func otherPages() async throws(RPCError) -> [JSONValue]

    /// Why the pages of the other nodes are not known now; nil if they are.
    var objection: String? { get }

    /// All nodes, this one first.
    func nodes() async throws(RPCError) -> [JSONValue]

    /// Calls an action each time that pages of other nodes have attached or changed, until it is cancelled.
    func observePages(_ action: @escaping @MainActor () -> Void) -> TrafficSubscription

    /// Lines for `/metrics`.
    var metrics: String { get }
    /// The state of the cluster, as `daemon.info` shows it.
    var info: JSONValue { get }
}

/// The cluster that this daemon belongs to, if there is one. On the main actor.
@MainActor final class ClusterNodes {
    weak var cluster: (any ControlCluster)?
    private let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    /// The traffic that tools see. In a cluster it is that of all nodes.
    var traffic: TrafficLog { cluster?.traffic ?? documents.traffic }

    /// Lets another node answer a call if that node has the page, or if the call names it.
    /// - Returns: nil if this node is to answer.
    func answer(
        _ method: String, _ subject: CallSubject, _ node: String?, _ params: JSON?
    ) async throws(RPCError) -> ControlResult? {
        guard let cluster else {
            guard let node else { return nil }
            throw .invalidParams(
                at: "/node", "found '\(node.forText)', but this daemon is in no cluster: start it with --cluster")
        }
        let limits = documents.limits
        let timeout = params?["timeoutMs"]?.number.map { Duration(clampingMilliseconds: $0) }
        let wait = min(timeout ?? limits.pageTimeout, limits.evaluationTimeout)
        let found: String?
        if let node {
            found = node == cluster.node ? nil : node
        } else {
            found = has(subject) ? nil : try await cluster.node(for: subject, within: wait)
        }
        guard let found else { return nil }
        // The other node applies the method's own limit. This limit ends the wait if that node is gone and cannot
        // answer.
        let limit = (timeout ?? limits.pageTimeout + limits.evaluationTimeout) + .seconds(5)
        let result = try await cluster.call(method, Array((params ?? .null).text.utf8), on: found, within: limit)
        return ControlResult(text: result)
    }

    /// Whether this daemon has what a call concerns.
    private func has(_ subject: CallSubject) -> Bool {
        switch subject {
        case .daemon: true
        case .page(.page(let id)): documents.registry.page(withID: id) != nil
        case .page(.webView(let name)): documents.registry.mainPage(of: name) != nil
        case .page(.device(let id)): documents.registry.latestPage(ofDevice: id) != nil
        case .app, .page(.visible):
            documents.registry.mainPage(of: "main") != nil || documents.registry.mainPage(of: "modal") != nil
        }
    }
}
