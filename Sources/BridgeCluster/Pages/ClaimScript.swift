/// The script with which a node becomes the owner of a page.
enum ClaimScript {
    /// Key: the state of the page. Arguments: the node, the epoch that it had or an empty text, the origin of the page
    /// that comes, for how many seconds the state is kept.
    ///
    /// The answer is `new`, `same`, `origin` if the page is another origin's, or the new epoch and then all fields.
    static let claim = """
        local state = redis.call('HMGET', KEYS[1], 'epoch', 'node', 'origin')
        if not state[1] then return {'new'} end
        if state[2] == ARGV[1] and state[1] == ARGV[2] then return {'same'} end
        if state[3] ~= ARGV[3] then return {'origin'} end
        local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
        redis.call('HSET', KEYS[1], 'node', ARGV[1])
        redis.call('EXPIRE', KEYS[1], ARGV[4])
        return {'moved', redis.call('HGETALL', KEYS[1])}
        """
}
