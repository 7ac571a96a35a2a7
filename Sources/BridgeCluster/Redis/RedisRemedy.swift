/// Advice about failures of Redis.
enum RedisRemedy {
    private static let remedies: [(part: String, remedy: String)] = [
        ("OOM ", "Redis is full: raise its maxmemory, or free some."),
        (
            "BADID ",
            "Something else has written it. Rename the key, and the traffic begins anew; to see that, start the nodes again."
        ),
        ("BADVALUE ", "Something else has written it. Delete the key; if it is a page's, the page begins anew."),
        ("MISCONF ", "Redis cannot write its files: free some space on its disk."),
        ("READONLY ", "It is a replica: give --cluster the address of the primary."),
        ("NOREPLICAS ", "Too few of its replicas are connected: start them, or lower min-replicas-to-write."),
        ("MASTERDOWN ", "It is a replica without its primary: give --cluster the address of the primary."),
        (
            "NOPERM ",
            "Its user may not do this: allow EVALSHA, SCRIPT, XADD, XINFO, XREAD, XDEL, HSET and what the scripts use."
        ),
        ("NOAUTH ", "Give the password: redis://:PASSWORD@host."),
        ("WRONGPASS ", "Correct the user or the password in --cluster."),
        ("ERR invalid password", "Correct the password in --cluster."),
        ("without any password configured", "It has no password: leave it out of --cluster."),
        ("Client sent AUTH, but no password", "It has no password: leave it out of --cluster."),
        ("DENIED ", "It takes only local connections without a password: set requirepass, and give it in --cluster."),
        ("LOADING ", "It reads its files after a start; wait."),
        ("NOSCRIPT ", "Somebody has let it forget this daemon's scripts. They are loaded again."),
        ("BUSY ", "A script of somebody else runs in it: wait, or call SCRIPT KILL."),
        ("max number of clients", "Raise its maxclients, or end other clients."),
        ("DB index", "It has no database with this number: correct it in --cluster, or raise databases."),
        ("SELECT is not allowed", "A Redis Cluster has only the database 0: give this one in --cluster."),
        (
            "MOVED ",
            "It is a node of a Redis Cluster that does not have this name's keys: give the address of the one that has."
        ),
        ("CLUSTERDOWN ", "Its Redis Cluster is down."),
        ("unknown command", "It is too old, or a server that only looks like Redis."),
        ("which has no streams", "Update it."),
        ("WRONGTYPE ", "Other programs use keys of this name: give the cluster another one, ?name=NAME."),
        ("NAMETAKEN ", "Start this daemon again: it then takes another name."),
        ("wrong version number", "It has no TLS on this port: give redis://, or the number of its tls-port."),
        ("TLS handshake", "It may have no TLS on this port: give redis://, or the number of its tls-port."),
        ("hostname mismatch", "Give the host by a name that is in its certificate."),
        ("IP address mismatch", "Give the host by a name or address that is in its certificate."),
        ("has expired", "Give it a new certificate."),
        ("certificate is not accepted", "Name the file with its authority's certificate: rediss://host?ca=FILE."),
        ("certificate required", "It demands a certificate of its clients: rediss://host?cert=FILE&key=FILE."),
        ("got \"H\" as reply type", "It is a web server: correct the host or the port in --cluster."),
        ("got \"\\x15\" as reply type", "It expects TLS: give rediss://."),
        ("does not answer as Redis does", "Is it a Redis? Correct the host or the port in --cluster."),
        (
            "after the handshake of TLS",
            "It may demand a certificate of its clients: rediss://host?cert=FILE&key=FILE. Its log says why."
        ),
        ("Connection reset", "Its log says why. If it expects TLS, give rediss://."),
        ("closed the connection", "Its log says why. If it expects TLS, give rediss://."),
        ("Connection refused", "Is it running, and the port right?"),
    ]

    /// - Parameter failure: an error of Redis, or why a connection to it has failed.
    /// - Returns: nil if there is no advice about it.
    static func text(for failure: String) -> String? { remedies.first { failure.contains($0.part) }?.remedy }
}
