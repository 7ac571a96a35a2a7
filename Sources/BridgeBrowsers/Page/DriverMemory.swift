/// How many bytes of messages the driver keeps for the documents of a web view and of the windows that they open.
@MainActor final class DriverMemory {
    private let limit: Int
    private var bytes = 0

    init(_ limits: DriverLimits) { limit = limits.totalBytes }

    var isFull: Bool { bytes >= limit }

    /// The part of one owner, which is given back when the owner is released.
    @MainActor final class Share {
        private let memory: DriverMemory
        private(set) var bytes = 0

        init(of memory: DriverMemory) { self.memory = memory }

        func add(_ count: Int) {
            bytes += count
            memory.bytes += count
        }

        isolated deinit { memory.bytes -= bytes }
    }
}
