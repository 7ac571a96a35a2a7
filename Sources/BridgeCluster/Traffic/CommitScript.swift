/// The scripts with which a node writes what its pages do.
enum CommitScript {
    /// Adds records to the traffic, and changes the states of pages, in one step and once for each number of a commit.
    ///
    /// Redis does not take back what a script has written before one of its commands fails. So everything that can fail
    /// comes before the first write: the types of the keys, the rights of the user, and the first record, which Redis
    /// refuses if its number is not above that of the latest entry. (Redis itself refuses the first write if it is full,
    /// a replica, or cannot write to its disk.) Whoever changes this script keeps that order.
    ///
    /// The number of the latest record is a hint: if it cannot be used, the stream itself says how far its numbers are.
    ///
    /// A part about a page counts only if this node owns the page. The others are left out, with their records. The node
    /// keeps which, because the answer may be lost: a node that never learns of it would acknowledge what is nowhere.
    /// A part without `run` is not enough for a page whose state is missing. Its records count, but its node has to write
    /// the whole state.
    ///
    /// Keys: the node, the traffic, the number of the latest record. Arguments: the node's name, the commit's number, a
    /// record number that is not above the next one, how many records the traffic keeps, what the keys of page states
    /// begin with, for how many seconds these are kept, and how many parts about pages follow. Each part is: document,
    /// epoch, whether the page is gone, how many fields follow and their names and values, how many names of fields to
    /// remove follow and these. Then the records: the number of its part or 0, its number in the node, its line.
    ///
    /// The answer: the number of the latest record, then document and epoch of each part that was left out, and document
    /// and an empty text for each page whose state is missing.
    static let commit = """
        local greatest = \(ClusterLimits.numbers.upperBound)
        local function refuse(key, why)
            return redis.error_reply(string.match(why, '^[^\\r\\n]*') .. ' (the key ' .. key .. ')')
        end
        -- Half of what there is, so that what somebody else has set leaves room. The stream itself may be above that.
        local function isNumber(value) return value >= 0 and value <= greatest / 2 and value % 1 == 0 end

        local done = redis.pcall('HMGET', KEYS[1], 'commit', 'leftOut')
        if done.err then return refuse(KEYS[1], done.err) end
        local number, before = tonumber(ARGV[2]), tonumber(done[1] or '0') or 0
        if number < before then return refuse(KEYS[1], '\(badValue) of commit, which this node has not made') end
        if number == before then
            local isRead, result = pcall(cmsgpack.unpack, done[2] or cmsgpack.pack({}))
            if not isRead or type(result) ~= 'table' then return refuse(KEYS[1], '\(badValue) of leftOut') end
            if result[1] ~= ARGV[2] then result = {ARGV[2]} end
            local counted = redis.pcall('GET', KEYS[3])
            result[1] = type(counted) == 'string' and tonumber(counted) or 0
            return result
        end

        local result, parts, owners, at = {0}, {}, {}, 7
        local function take() at = at + 1; return ARGV[at] end
        for index = 1, tonumber(ARGV[7]) do
            local document = take()
            local part = {key = ARGV[5] .. document, epoch = take(), gone = take() == '1', fields = tonumber(take())}
            local hasRun = false
            part.at = at
            for field = 1, part.fields do
                hasRun = take() == 'run' or hasRun
                take()
            end
            part.removed = tonumber(take())
            at = at + part.removed
            local owner = owners[part.key] or redis.pcall('HMGET', part.key, 'node', 'epoch')
            if owner.err then return refuse(part.key, owner.err) end
            if not owner[2] and hasRun then owner = {ARGV[1], part.epoch} end
            owners[part.key] = owner
            part.stale = owner[2] and not (owner[1] == ARGV[1] and owner[2] == part.epoch)
            part.missing = not owner[2]
            if part.stale or (part.missing and not part.gone) then
                result[#result + 1] = document
                result[#result + 1] = part.stale and part.epoch or ''
            end
            parts[index] = part
        end
        if redis.acl_check_cmd then
            local key = parts[1] and parts[1].key or KEYS[1]
            for _, command in ipairs({{'hset', key, 'a', 'b'}, {'hdel', key, 'a'}, {'hkeys', key},
                {'expire', key, '1'}, {'set', KEYS[3], '0'}, {'hset', KEYS[1], 'a', 'b'}}) do
                if not redis.acl_check_cmd(unpack(command)) then
                    return redis.error_reply('NOPERM its user may not call ' .. command[1] .. ' for ' .. command[2])
                end
            end
        end

        local latest = 0
        local counted = redis.pcall('GET', KEYS[3])
        for _, value in ipairs({tonumber(ARGV[3]) or 0, type(counted) == 'string' and tonumber(counted) or 0}) do
            if isNumber(value) then latest = math.max(latest, value) end
        end
        local function add(record, line)
            return redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], string.format('%.0f-0', latest + 1),
                'node', ARGV[1], 'record', record, 'line', line)
        end
        local isFirst = true
        while at < #ARGV do
            local part, record, line = parts[tonumber(take())], take(), take()
            if not (part and part.stale) then
                local added = add(record, line)
                if type(added) == 'table' and isFirst then
                    local stream = redis.pcall('XINFO', 'STREAM', KEYS[2])
                    if stream.err then return refuse(KEYS[2], added.err) end
                    for index = 1, #stream, 2 do
                        if stream[index] == 'last-generated-id' then
                            latest = tonumber(string.match(stream[index + 1], '^%d+'))
                        end
                    end
                    if latest + #ARGV > greatest then return refuse(KEYS[2], '\(badID)') end
                    added = add(record, line)
                end
                if type(added) == 'table' then return refuse(KEYS[2], added.err) end
                latest = latest + 1
                isFirst = false
            end
        end

        for _, part in ipairs(parts) do
            if not part.stale and not part.missing then
                redis.call('HSET', part.key, 'node', ARGV[1], 'epoch', part.epoch)
                at = part.at
                for field = 1, part.fields do redis.call('HSET', part.key, take(), take()) end
                take()
                for field = 1, part.removed do redis.call('HDEL', part.key, take()) end
                if part.gone then
                    for _, name in ipairs(redis.call('HKEYS', part.key)) do
                        if string.find(name, ':', 1, true) then redis.call('HDEL', part.key, name) end
                    end
                end
                redis.call('EXPIRE', part.key, ARGV[6])
            end
        end
        redis.call('SET', KEYS[3], string.format('%.0f', latest))
        redis.call('HSET', KEYS[1], 'commit', ARGV[2])
        if #result > 1 then
            result[1] = ARGV[2]
            redis.call('HSET', KEYS[1], 'leftOut', cmsgpack.pack(result))
        end
        result[1] = latest
        return result
        """

    /// What errors begin with if a key has a value that no node has written.
    static let badValue = "BADVALUE no node has written the value"
    /// What the error begins with if an entry of the traffic has an ID above which there are no numbers for records.
    static let badID = "BADID its last entry has an ID above which there is no number for a record"
}
