internal import CWebsockets
import Logging

/// Sends libwebsockets' own log lines to swift-log, label `bridged.websockets`.
///
/// Its log is one for the whole process. What a client does wrong it reports as its own errors and warnings; for us
/// those are notices, because the hub records what matters.
enum LibraryLog {
    private static let logger = Logger(label: "bridged.websockets")

    static func install() {
        lws_set_log_level(bridged_lws_log_levels()) { level, line in
            guard let line else { return }
            let text = String(cString: line).trimmingSuffix { $0.isWhitespace }
            switch true {
            case bridged_lws_is_error(level) != 0: LibraryLog.logger.notice("\(text)")
            case bridged_lws_is_warning(level) != 0: LibraryLog.logger.info("\(text)")
            default: LibraryLog.logger.debug("\(text)")
            }
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        guard let end = lastIndex(where: { !predicate($0) }) else { return "" }
        return self[...end]
    }
}
