import BridgeProtocol

/// The global objects ("realms") of Firefox, and what their scripts sent before Firefox announced them: in a new window
/// scripts run before it does. It does no I/O.
struct FirefoxRealms {
    private var worlds: [String: ScriptWorld] = [:]
    /// The realms of windows without a web view. Their messages are ignored.
    private var ignored: Set<String> = []
    private var early: [String: [JSON]] = [:]
    private var earlyCount = 0
    private let limit: Int

    init(_ limits: DriverLimits = DriverLimits()) { limit = limits.events }

    /// Where a message belongs (`script.message`).
    enum Receiver {
        case world(ScriptWorld)
        /// No world is known for it. It waits until the realm is announced, unless the realm is ignored.
        case none
        /// Too many messages wait already.
        case refused
    }

    mutating func receiver(of message: JSON, from realm: String) -> Receiver {
        if let world = worlds[realm] { return .world(world) }
        guard !ignored.contains(realm) else { return .none }
        guard earlyCount < limit else { return .refused }
        earlyCount += 1
        early[realm, default: []].append(message)
        return .none
    }

    /// Adds a realm that Firefox has announced.
    /// - Parameter world: nil if it belongs to no web view.
    /// - Returns: its messages that came before.
    mutating func add(_ realm: String, _ world: ScriptWorld?) -> [JSON] {
        let messages = takeEarly(realm)
        guard let world else {
            ignored.insert(realm)
            return []
        }
        worlds[realm] = world
        return messages
    }

    /// Removes a realm that is gone.
    mutating func remove(_ realm: String) -> ScriptWorld? {
        _ = takeEarly(realm)
        ignored.remove(realm)
        return worlds.removeValue(forKey: realm)
    }

    private mutating func takeEarly(_ realm: String) -> [JSON] {
        let list = early.removeValue(forKey: realm) ?? []
        earlyCount -= list.count
        return list
    }
}
