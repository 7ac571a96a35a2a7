/// The scripts about the nodes of a cluster. Redis's clock decides which nodes are alive.
enum NodeScripts {
    /// What the error begins with if another daemon has the name of this node, or has had it within the time for which
    /// the node's hash is kept.
    static let nameTaken = "NAMETAKEN"

    /// Keys: the nodes, this node, its pages, its inbox. Arguments: the node, what it says about itself, after how many
    /// milliseconds a node counts as gone, for how many seconds its hash and its other keys are kept, and what tells this
    /// daemon from others.
    ///
    /// The answer: the nodes that are alive.
    static let beat = """
        local owner = redis.call('HGET', KEYS[2], 'instance')
        if owner and owner ~= ARGV[6] then return redis.error_reply('\(nameTaken) by another daemon') end
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('ZADD', KEYS[1], now, ARGV[1])
        redis.call('HSET', KEYS[2], 'info', ARGV[2], 'instance', ARGV[6])
        redis.call('EXPIRE', KEYS[2], ARGV[4])
        redis.call('EXPIRE', KEYS[3], ARGV[5])
        redis.call('EXPIRE', KEYS[4], ARGV[5])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 3600000)
        return redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[3], '+inf')
        """

    /// Keys: the nodes. Arguments: what the keys of nodes and of their pages begin with, the milliseconds as above.
    ///
    /// The answer: for each node that is alive its name, what it says about itself, and the descriptions of its pages.
    static let list = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local result = {}
        for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[3], '+inf')) do
            result[#result + 1] = {node, redis.call('HGET', ARGV[1] .. node, 'info') or '',
                redis.call('HVALS', ARGV[2] .. node)}
        end
        return result
        """

    /// Puts a call or an answer into the inbox of a node, if that is alive.
    ///
    /// Keys: the nodes, the inbox. Arguments: the node, the milliseconds as above, for how many seconds the inbox is
    /// kept, how many entries it may have, and then the entry's fields. The answer: 1, or 0 if the node is gone, or -1 if
    /// its inbox is full.
    static let send = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local beat = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if not beat or tonumber(beat) < now - ARGV[2] then return 0 end
        if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[4]) then return -1 end
        redis.call('XADD', KEYS[2], '*', 'kind', ARGV[5], 'id', ARGV[6], 'from', ARGV[7], 'method', ARGV[8],
            'text', ARGV[9])
        redis.call('EXPIRE', KEYS[2], ARGV[3])
        return 1
        """
}
