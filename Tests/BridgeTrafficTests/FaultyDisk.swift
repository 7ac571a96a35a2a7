import BridgeTraffic
import Foundation

/// A disk in memory, whose writes fail when a test says so.
@MainActor final class FaultyDisk: Disk {
    /// The contents of all files, by their number.
    private var files: [[UInt8]] = []
    /// The number of the file that each path names.
    private var names: [String: Int] = [:]
    private var opened: [Int32: Int] = [:]
    /// Where the last write to each descriptor ended.
    private var ends: [Int32: Int] = [:]
    /// How many more bytes fit; nil if any number does.
    var room: Int?
    /// The `errno` if there is no room.
    var failure = ENOSPC

    func text(_ path: String) -> String { names[path].map { String(decoding: files[$0], as: UTF8.self) } ?? "" }

    func delete(_ path: String) { names[path] = nil }

    func truncate(_ path: String) {
        if let file = names[path] { files[file] = [] }
    }

    func move(_ path: String, to other: String) { names[other] = names.removeValue(forKey: path) }

    func open(_ path: String) throws(DiskError) -> Int32 {
        let file = names[path] ?? files.count
        if file == files.count { files.append([]) }
        names[path] = file
        let descriptor = Int32(opened.count)
        opened[descriptor] = file
        return descriptor
    }

    func lastByte(of descriptor: Int32) -> UInt8? { opened[descriptor].flatMap { files[$0].last } }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(DiskError) -> Int {
        let count = min(bytes.count, room ?? .max)
        guard count > 0, let file = opened[descriptor] else { throw DiskError(number: failure) }
        room = room.map { $0 - count }
        files[file] += bytes.prefix(count)
        ends[descriptor] = files[file].count
        return count
    }

    func endsWithLastWrite(_ descriptor: Int32) -> Bool {
        opened[descriptor].map { files[$0].count } == ends[descriptor, default: 0]
    }

    func linkCount(of descriptor: Int32) -> Int { names.values.count { $0 == opened[descriptor] } }

    func isOpen(_ descriptor: Int32, as path: String) -> Bool? { names[path].map { $0 == opened[descriptor] } }

    /// A file that was deleted takes up room until it is closed.
    func close(_ descriptor: Int32) {
        guard linkCount(of: descriptor) == 0, let file = opened[descriptor] else { return }
        room = room.map { $0 + files[file].count }
    }
}
