import Foundation

/// Places of the app that do not compile on Linux and were cut out. `bridged run` writes a call of ``record(_:_:_:)`` there.
public final class MissingCode: Sendable {
    public static let shared = MissingCode()

    /// A place that the app has come to.
    public struct Use: Sendable, Hashable {
        /// What is missing: a name between backticks, or what the compiler said.
        public let what: String
        /// The file, as a path in the app's project.
        public let file: String
        public let line: Int

        public init(what: String, file: String, line: Int) { (self.what, self.file, self.line) = (what, file, line) }

        /// For people: what the app wanted, where, and what became of it.
        public var description: String {
            let place = "\(file.split(separator: "/").last ?? ""):\(line)"
            return what.hasPrefix("`")
                ? "\(what) is not there: \(place) called it. The app went on with nothing."
                : "\(place) does not compile on Linux: \(what). The app went on without it."
        }
    }

    private struct State {
        var uses: [Use] = []
        var known: Set<Use> = []
        var onUse: (@Sendable (Use) -> Void)?
    }

    // The app may come to such a place on any thread.
    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()

    private init() {}

    /// Notes that the app has come to a place. Only the first time counts.
    public func record(_ what: String, _ file: String, _ line: Int) {
        let use = Use(what: what, file: file, line: line)
        let onUse: (@Sendable (Use) -> Void)? = lock.withLock {
            guard state.known.insert(use).inserted else { return nil }
            state.uses.append(use)
            return state.onUse
        }
        onUse?(use)
    }

    /// Calls a closure for each place that the app has come to, and that it will come to, on that thread.
    public func observe(_ onUse: @escaping @Sendable (Use) -> Void) {
        let earlier = lock.withLock {
            state.onUse = onUse
            return state.uses
        }
        for use in earlier { onUse(use) }
    }
}
