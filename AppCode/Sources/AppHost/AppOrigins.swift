import Foundation

extension AppHost {
    /// Replaces the origin of an address as `bridged run --url` says, so that an app whose server is elsewhere runs
    /// against the one at hand.
    ///
    /// `prepare-app` lets each `URL(string:)` of the app call it. `BRIDGED_ORIGINS` has lines like
    /// `https://example.com http://localhost:3000`.
    nonisolated public static func address(_ text: String) -> String { replace(in: text, origins) }

    nonisolated private static let origins = read(ProcessInfo.processInfo.environment["BRIDGED_ORIGINS"] ?? "")

    nonisolated static func read(_ text: String) -> [(from: String, to: String)] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: " ")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    nonisolated static func replace(in text: String, _ origins: [(from: String, to: String)]) -> String {
        for (from, to) in origins where text.hasPrefix(from) {
            let rest = text.dropFirst(from.count)
            // `https://example.com` is no prefix of `https://example.community`.
            if rest.isEmpty || "/?#".contains(rest.first ?? "/") { return to + rest }
        }
        return text
    }
}
