import BridgeTraffic
import Foundation

/// The disk of a simulated machine. What was written survives a daemon that is killed.
@MainActor final class SimulatedDisk {
    final class File {
        /// Whether the file was not deleted.
        var hasName = true
        /// The last line, if it has no end yet.
        var unfinished: [UInt8] = []
        /// Whether a write to the file has ended within a line, because the disk was full or the daemon was killed.
        var mayHaveTornLine = false
        /// The daemon's disk that wrote last, and the run and number of the record that it wrote last.
        weak var lastWriter: MountedDisk?
        var lastRecord = (run: 0, number: 0)
    }

    /// How many more bytes fit.
    var room = Int.max
    /// The most bytes that one call writes.
    var bytesPerCall = Int.max
    /// The file that has the log's name.
    private(set) var log: File?
    var archive = ArchiveState.works
    private let invariants: Invariants

    init(invariants: Invariants) { self.invariants = invariants }

    func heal() {
        room = .max
        bytesPerCall = .max
        archive = .works
    }

    func truncateLog() {
        log?.unfinished = []
        log?.mayHaveTornLine = false
        log?.lastWriter = nil
        log?.lastRecord = (0, 0)
    }

    func deleteLog() {
        log?.hasName = false
        log = nil
    }

    /// Moves the log away, as `logrotate` does.
    /// - Parameter hasNext: whether an empty file takes its place.
    func moveLog(hasNext: Bool) { log = hasNext ? File() : nil }

    fileprivate func openLog() -> File {
        let file = log ?? File()
        log = file
        return file
    }

    /// Appends bytes to a file, and reports each line that is complete.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer, to file: File) {
        room -= room == .max ? 0 : bytes.count
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            report(rest[..<end], of: file)
            rest = rest[(end + 1)...]
        }
        file.unfinished.append(contentsOf: rest)
    }

    fileprivate func appendGarbage(to file: File) { Array("}\n".utf8).withUnsafeBytes { append($0, to: file) } }

    private func report(_ part: Slice<UnsafeRawBufferPointer>, of file: File) {
        guard file.unfinished.isEmpty else {
            file.unfinished.append(contentsOf: part)
            file.unfinished.withUnsafeBytes { invariants.logged($0, in: file) }
            return file.unfinished.removeAll(keepingCapacity: true)
        }
        invariants.logged(UnsafeRawBufferPointer(rebasing: part), in: file)
    }
}

/// The disk as one run of the daemon sees it. If the daemon is killed within a write, a part of it is written.
@MainActor final class MountedDisk: Disk {
    private let disk: SimulatedDisk
    private let life: Life
    private let invariants: Invariants
    private let mistake: Mistake?
    /// The files that were opened, by their descriptors.
    private var files: [SimulatedDisk.File] = []

    init(_ disk: SimulatedDisk, _ life: Life, _ invariants: Invariants, _ mistake: Mistake?) {
        self.disk = disk
        self.life = life
        self.invariants = invariants
        self.mistake = mistake
    }

    func open(_ path: String) throws(DiskError) -> Int32 {
        guard disk.room > 0 else {
            invariants.keeperFailed(.log)
            throw DiskError(number: ENOSPC)
        }
        files.append(disk.openLog())
        return Int32(files.count - 1)
    }

    func lastByte(of descriptor: Int32) -> UInt8? { files[Int(descriptor)].unfinished.last ?? UInt8(ascii: "\n") }

    func endsWithLastWrite(_ descriptor: Int32) -> Bool { files[Int(descriptor)].lastWriter === self }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(DiskError) -> Int {
        let file = files[Int(descriptor)]
        guard life.isAlive, mistake != .losesWrites else { return bytes.count }
        let count = min(bytes.count, disk.room, disk.bytesPerCall)
        guard count > 0 else {
            invariants.keeperFailed(.log)
            file.mayHaveTornLine = true
            throw DiskError(number: ENOSPC)
        }
        if count == bytes.count, file.hasName { invariants.keeperWorks(.log) }
        if mistake == .garblesLines { disk.appendGarbage(to: file) }
        let written = life.lasts() ? count : count / 2
        disk.append(UnsafeRawBufferPointer(rebasing: bytes[..<written]), to: file)
        file.lastWriter = self
        if !life.isAlive { file.mayHaveTornLine = true }
        return count
    }

    func linkCount(of descriptor: Int32) -> Int { files[Int(descriptor)].hasName ? 1 : 0 }

    func isOpen(_ descriptor: Int32, as path: String) -> Bool? { disk.log.map { $0 === files[Int(descriptor)] } }

    func close(_ descriptor: Int32) {}
}
