/// The script with which a node becomes the owner of a page.
enum ClaimScript {
    /// Key: the state of the page. Arguments: the node, the epoch that it had or an empty text, the origin of the page
    /// that comes, for how many seconds the state is kept.
    ///
    /// The answer is `new`, `same`, `origin` if the page is another origin's, or the new epoch and then all fields. The
    /// new epoch is above that which the node had, because a Redis may have lost the latest changes of owners. An error
    /// names the key if the state cannot be read: a page that began anew would have its messages handled again.
    static let claim = """
        local function refuse(why)
            return redis.error_reply(string.match(why, '^[^\\r\\n]*') .. ' (the key ' .. KEYS[1] .. ')')
        end
        local state = redis.pcall('HMGET', KEYS[1], 'epoch', 'node', 'origin', 'run', 'lastSeq', 'lastEvaluation')
        if state.err then return refuse(state.err) end
        if not state[1] then return {'new'} end
        if state[2] == ARGV[1] and state[1] == ARGV[2] then return {'same'} end
        for index, name in pairs({'epoch', [3] = 'origin', [4] = 'run'}) do
            if not state[index] then return refuse('\(CommitScript.badValue) of ' .. name) end
        end
        for index, name in pairs({'epoch', [5] = 'lastSeq', [6] = 'lastEvaluation'}) do
            local value = tonumber(state[index] or '0')
            if not (value and value >= 0 and value <= \(ClusterLimits.numbers.upperBound) and value % 1 == 0) then
                return refuse('\(CommitScript.badValue) of ' .. name)
            end
        end
        if state[3] ~= ARGV[3] then return {'origin'} end
        local epoch = string.format('%.0f', math.max(tonumber(state[1]), tonumber(ARGV[2]) or 0) + 1)
        redis.call('HSET', KEYS[1], 'node', ARGV[1], 'epoch', epoch)
        redis.call('EXPIRE', KEYS[1], ARGV[4])
        return {'moved', redis.call('HGETALL', KEYS[1])}
        """
}
