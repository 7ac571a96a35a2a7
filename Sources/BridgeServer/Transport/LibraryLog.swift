internal import CWebsockets
import Foundation
import Logging

/// Sends the log lines of libwebsockets to swift-log, with the label `bridged.websockets`.
///
/// libwebsockets has a log for the whole process, and since 4.3 also one for each context. It logs mistakes of clients
/// as errors and warnings. This type logs them at lower levels (notice and info), because the traffic log has records of
/// those that matter.
enum LibraryLog {
    private static let logger = Logger(label: "bridged.websockets")

    static func install() { lws_set_log_level(bridged_lws_log_levels(), emit) }

    /// Libwebsockets calls it with a level and a line.
    static let emit: @convention(c) (Int32, UnsafePointer<CChar>?) -> Void = { level, line in
        guard let line else { return }
        let text = String(cString: line).trimmingCharacters(in: .whitespacesAndNewlines)
        if bridged_lws_is_error(level) != 0 {
            LibraryLog.logger.notice("\(text)")
        } else if bridged_lws_is_warning(level) != 0 {
            LibraryLog.logger.info("\(text)")
        } else {
            LibraryLog.logger.debug("\(text)")
        }
    }
}
