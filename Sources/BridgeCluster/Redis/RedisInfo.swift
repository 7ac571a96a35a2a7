/// The answer of a Redis to `INFO`.
struct RedisInfo: Equatable, Sendable {
    /// The oldest release that has streams.
    private static let oldestMajor = 5

    let version: String
    /// A new one each time that Redis starts.
    let run: String
    /// Whether Redis writes each command to a file, and so has it after a restart.
    let keepsCommands: Bool
    /// `noeviction` unless Redis deletes keys when its memory is full.
    let evictionPolicy: String

    init(_ text: String) {
        var fields: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { fields[pair[0]] = pair[1] }
        }
        version = String(fields["redis_version"] ?? "")
        run = String(fields["run_id"] ?? "")
        keepsCommands = fields["aof_enabled"] == "1"
        evictionPolicy = String(fields["maxmemory_policy"] ?? "noeviction")
    }

    /// Why this Redis cannot be used; nil if it can.
    var objection: String? {
        let major = version.split(separator: ".").first.flatMap { Int($0) } ?? 0
        guard major < RedisInfo.oldestMajor else { return nil }
        return
            "It is Redis \(version.isEmpty ? "of an unknown version" : version), which has no streams: a cluster needs "
            + "Redis \(RedisInfo.oldestMajor) or later"
    }
}
