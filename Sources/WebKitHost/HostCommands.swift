import BridgeProtocol
import CWebKitGTK
import Foundation

/// Reads the commands of the process that has started this one: lines of JSON in standard input. Ends the main loop
/// when the input ends.
///
/// GLib watches the input: libdispatch could crash when the other end of the pipe closed.
@MainActor final class HostCommands {
    private var incoming: [UInt8] = []
    private let onCommand: (JSON) -> Void

    init(_ onCommand: @escaping (JSON) -> Void) {
        self.onCommand = onCommand
        let conditions = GIOCondition(G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
        // The source keeps this object, and lasts as long as the process.
        g_unix_fd_add(
            STDIN_FILENO, conditions,
            { _, _, data in
                guard let data else { return 0 }
                return Unmanaged<HostCommands>.fromOpaque(data).takeUnretainedValue().read() ? 1 : 0
            }, Unmanaged.passRetained(self).toOpaque())
    }

    /// - Returns: whether there may be more.
    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            MainLoop.stop()
            return false
        }
        incoming += bytes[..<count]
        while let newline = incoming.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(incoming[..<newline])
            incoming.removeFirst(newline + 1)
            if let json = try? JSON.parse(line) { onCommand(json) }
        }
        return true
    }
}
