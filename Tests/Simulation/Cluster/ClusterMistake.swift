import BridgeCluster

/// Something that a simulated cluster does wrong on purpose. Both were mistakes of the daemon.
enum ClusterMistake: String, CaseIterable, Sendable {
    /// The script of commits changes the states of pages before it adds the records, which may fail.
    case writesStatesFirst
    /// A node does not take back the records that do not count.
    case takesNothingBack

    /// The command as Redis gets it.
    func altered(_ command: RedisCommand) -> RedisCommand? {
        guard self == .writesStatesFirst, command.loadsCommitScript else { return nil }
        return RedisCommand("SCRIPT", "LOAD", Self.commitStatesFirst)
    }

    /// The script as it was.
    private static let commitStatesFirst = """
        local done = redis.call('HMGET', KEYS[1], 'commit', 'leftOut')
        if tonumber(ARGV[2]) <= tonumber(done[1] or '0') then
            local result = done[2] and cmsgpack.unpack(done[2]) or {}
            if result[1] ~= ARGV[2] then result = {ARGV[2]} end
            result[1] = tonumber(redis.call('GET', KEYS[3]) or '0')
            return result
        end
        local result, stale, at = {0}, {}, 7
        local function take() at = at + 1; return ARGV[at] end
        for part = 1, tonumber(ARGV[7]) do
            local document, epoch, gone = take(), take(), take() == '1'
            local key = ARGV[5] .. document
            local owner = redis.call('HMGET', key, 'node', 'epoch')
            local fresh = not owner[2] or (owner[1] == ARGV[1] and owner[2] == epoch)
            if fresh then redis.call('HSET', key, 'node', ARGV[1], 'epoch', epoch) end
            if not fresh then stale[part] = true; result[#result + 1] = document; result[#result + 1] = epoch end
            for field = 1, tonumber(take()) do
                local name, value = take(), take()
                if fresh then redis.call('HSET', key, name, value) end
            end
            for field = 1, tonumber(take()) do
                local name = take()
                if fresh then redis.call('HDEL', key, name) end
            end
            if fresh and gone then
                for _, name in ipairs(redis.call('HKEYS', key)) do
                    if string.find(name, ':', 1, true) then redis.call('HDEL', key, name) end
                end
            end
            if fresh then redis.call('EXPIRE', key, ARGV[6]) end
        end
        local number = math.max(tonumber(redis.call('GET', KEYS[3]) or '0'), tonumber(ARGV[3]))
        while at < #ARGV do
            local part, record, line = tonumber(take()), take(), take()
            if not stale[part] then
                number = number + 1
                redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], string.format('%.0f', number) .. '-0',
                    'node', ARGV[1], 'record', record, 'line', line)
            end
        end
        redis.call('SET', KEYS[3], string.format('%.0f', number))
        redis.call('HSET', KEYS[1], 'commit', ARGV[2])
        if #result > 1 then
            result[1] = ARGV[2]
            redis.call('HSET', KEYS[1], 'leftOut', cmsgpack.pack(result))
        end
        result[1] = number
        return result
        """
}

extension RedisCommand {
    fileprivate var loadsCommitScript: Bool {
        let words = words
        return words.first == "SCRIPT" && words.last?.contains("MAXLEN") == true
    }
}
