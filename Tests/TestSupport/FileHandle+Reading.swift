public import Foundation

extension FileHandle {
    /// Waits for bytes and returns those that have arrived. Returns no bytes at the end of the file.
    ///
    /// Foundation's `availableData` and `readDataToEndOfFile` trap if a signal interrupts them, such as SIGCHLD.
    public func readChunk() -> Data {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return Data(buffer.prefix(max(0, count)))
        }
    }

    /// Waits for the end of the file and returns all bytes up to it.
    public func readAll() -> Data {
        var data = Data()
        while case let chunk = readChunk(), !chunk.isEmpty { data += chunk }
        return data
    }
}
