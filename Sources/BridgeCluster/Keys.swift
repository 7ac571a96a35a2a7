/// The keys of a cluster in Redis. The braces put them all into one slot of a Redis Cluster, so that a script may use
/// them together.
struct Keys: Sendable {
    private let prefix: String

    init(cluster name: String) { prefix = "bridged:{\(name)}:" }

    /// A sorted set: the nodes, by the time of their latest heartbeat.
    var nodes: String { prefix + "nodes" }
    /// A hash: what a node says about itself, and the number of its latest commit.
    func node(_ node: String) -> String { "\(prefix)node:\(node)" }
    /// A hash: the pages of a node, as `pages.list` describes them.
    func pages(of node: String) -> String { "\(prefix)pages:\(node)" }
    /// A stream: the calls and answers for a node.
    func inbox(of node: String) -> String { "\(prefix)inbox:\(node)" }
    /// A stream: the traffic of all nodes. The first half of an entry's ID is the record's number in the cluster.
    var traffic: String { prefix + "traffic" }
    /// The number of the latest record.
    var count: String { prefix + "records" }
    /// A hash: what another node needs to go on with a page. The document's id follows.
    var pageState: String { prefix + "page:" }
}
