import BridgeTraffic
import Foundation

/// The disk of a simulated machine. What was written survives a daemon that is killed.
@MainActor final class SimulatedDisk {
    /// How many more bytes fit.
    var room = Int.max
    /// The most bytes that one call writes.
    var bytesPerCall = Int.max
    /// The last line, if it has no end yet.
    private(set) var unfinished: [UInt8] = []
    private let invariants: Invariants

    init(invariants: Invariants) { self.invariants = invariants }

    func heal() {
        room = .max
        bytesPerCall = .max
    }

    /// Appends bytes to the log, and reports each line that is complete.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer) {
        room -= room == .max ? 0 : bytes.count
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            if unfinished.isEmpty {
                invariants.logged(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
            } else {
                unfinished.append(contentsOf: bytes[start..<index])
                unfinished.withUnsafeBytes { invariants.logged($0) }
                unfinished.removeAll(keepingCapacity: true)
            }
            start = index + 1
        }
        unfinished.append(contentsOf: bytes[start...])
    }

    var lastByte: UInt8? { unfinished.last ?? UInt8(ascii: "\n") }
}

/// The disk as one run of the daemon sees it. If the daemon is killed within a write, a part of it is written.
@MainActor final class MountedDisk: Disk {
    private let disk: SimulatedDisk
    private let life: Life
    private let invariants: Invariants
    private let mistake: Mistake?
    private var hasWritten = false

    init(_ disk: SimulatedDisk, _ life: Life, _ invariants: Invariants, _ mistake: Mistake?) {
        self.disk = disk
        self.life = life
        self.invariants = invariants
        self.mistake = mistake
    }

    func open(_ path: String) throws(DiskError) -> Int32 {
        guard disk.room > 0 else { throw DiskError(number: ENOSPC) }
        invariants.diskWorks()
        return 3
    }

    func lastByte(of descriptor: Int32) -> UInt8? { disk.lastByte }

    /// Only one daemon writes to the disk at a time.
    func endsWithLastWrite(_ descriptor: Int32) -> Bool { hasWritten }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(DiskError) -> Int {
        guard life.isAlive else { return bytes.count }
        // A disk that says that it has written, and has not.
        if mistake == .losesWrites { return bytes.count }
        let count = min(bytes.count, disk.room, disk.bytesPerCall)
        guard count > 0 else {
            invariants.diskFailed()
            throw DiskError(number: ENOSPC)
        }
        if count == bytes.count { invariants.diskWorks() }
        let written = life.lasts() ? count : count / 2
        disk.append(UnsafeRawBufferPointer(rebasing: bytes[..<written]))
        hasWritten = true
        return count
    }

    func linkCount(of descriptor: Int32) -> Int { 1 }

    func isOpen(_ descriptor: Int32, as path: String) -> Bool? { true }

    func close(_ descriptor: Int32) {}
}

/// Whether a run of the daemon still lives. A daemon that is killed has no effect any more, even if its code returns
/// from what it was doing.
@MainActor final class Life {
    private(set) var isAlive = true
    /// How many more effects the daemon has; nil if nothing kills it.
    private var effects: Int?

    func end(afterEffects effects: Int) {
        self.effects = effects
        if effects <= 0 { isAlive = false }
    }

    /// Cancels `end(afterEffects:)`.
    func goOn() { effects = nil }

    /// Counts an effect. Returns false if the daemon is killed before it.
    func lasts() -> Bool {
        guard isAlive else { return false }
        guard let left = effects else { return true }
        effects = left - 1
        isAlive = left > 1
        return isAlive
    }
}
