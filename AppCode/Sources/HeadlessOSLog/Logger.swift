import Foundation

/// The levels of the unified logging system.
public struct OSLogType: Hashable, RawRepresentable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let `default` = OSLogType(rawValue: 0x00)
    public static let info = OSLogType(rawValue: 0x01)
    public static let debug = OSLogType(rawValue: 0x02)
    public static let error = OSLogType(rawValue: 0x10)
    public static let fault = OSLogType(rawValue: 0x11)
}

public final class OSLog: Sendable {
    public static let `default` = OSLog(subsystem: "", category: "")
    public static let disabled = OSLog(subsystem: "", category: "disabled")
    let category: String

    public init(subsystem: String, category: String) { self.category = category }
}

/// The app's log. It writes to standard error, one line a message, such as `info  Navigation: …`.
public struct Logger: Sendable {
    private let category: String
    private let isDisabled: Bool

    public init() { self.init(subsystem: "", category: "") }
    public init(subsystem: String, category: String) { (self.category, isDisabled) = (category, false) }
    public init(_ log: OSLog) { (category, isDisabled) = (log.category, log === OSLog.disabled) }

    public func log(level: OSLogType, _ message: OSLogMessage) { write("\(level.name)", message) }
    public func log(_ message: OSLogMessage) { write("log", message) }
    public func trace(_ message: OSLogMessage) { write("trace", message) }
    public func debug(_ message: OSLogMessage) { write("debug", message) }
    public func info(_ message: OSLogMessage) { write("info", message) }
    public func notice(_ message: OSLogMessage) { write("notice", message) }
    public func warning(_ message: OSLogMessage) { write("warning", message) }
    public func error(_ message: OSLogMessage) { write("error", message) }
    public func critical(_ message: OSLogMessage) { write("critical", message) }
    public func fault(_ message: OSLogMessage) { write("fault", message) }

    private func write(_ level: String, _ message: OSLogMessage) {
        guard !isDisabled else { return }
        let place = category.isEmpty ? "" : "\(category): "
        FileHandle.standardError.write(Data("\(level)  \(place)\(message.text)\n".utf8))
    }
}

extension OSLogType {
    fileprivate var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .error: "error"
        case .fault: "fault"
        default: "log"
        }
    }
}

/// A message with values that may be private. Nothing is hidden here, because the log goes to the developer's terminal.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation(_ value: Any?, privacy: OSLogPrivacy = .auto) {
            text += value.map { "\($0)" } ?? "nil"
        }
    }
}

public struct OSLogPrivacy: Sendable {
    public static let auto = OSLogPrivacy()
    public static let `public` = OSLogPrivacy()
    public static let `private` = OSLogPrivacy()
    public static let sensitive = OSLogPrivacy()
}

public func os_log(_ type: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) {
    Logger(log).log(level: type, message)
}
