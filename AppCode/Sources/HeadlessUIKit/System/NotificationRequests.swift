public import Foundation

extension UNUserNotificationCenter {
    /// Delivers a notification when its trigger says so; without one, at once.
    @preconcurrency public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        pendingRequests.removeAll { $0.identifier == request.identifier }
        pendingRequests.append(request)
        let delay = (request.trigger as? UNTimeIntervalNotificationTrigger)?.timeInterval ?? 0
        // Calendars and places are not waited for.
        if request.trigger == nil || request.trigger is UNTimeIntervalNotificationTrigger {
            Turns.next(after: delay) { [weak self, weak request] in
                if let self, let request, self.pendingRequests.contains(where: { $0 === request }) {
                    self.deliver(request)
                }
            }
        }
        if let completionHandler { Turns.next { completionHandler(nil) } }
    }

    public func add(_ request: UNNotificationRequest) async throws { add(request, withCompletionHandler: nil) }

    /// Shows a notification. In the foreground, the delegate says whether it is seen. (Not in UserNotifications.)
    public func deliver(_ request: UNNotificationRequest) {
        pendingRequests.removeAll { $0 === request }
        let notification = UNNotification(request: request)
        deliveredNotifications.append(notification)
        guard UIApplication.shared.applicationState == .active, let delegate else { return }
        delegate.userNotificationCenter(self, willPresent: notification, withCompletionHandler: { _ in })
    }

    @preconcurrency public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        let pending = pendingRequests
        Turns.next { completionHandler(pending) }
    }
    public func pendingNotificationRequests() async -> [UNNotificationRequest] { pendingRequests }
    @preconcurrency public func getDeliveredNotifications(
        completionHandler: @escaping @Sendable ([UNNotification]) -> Void
    ) {
        let delivered = deliveredNotifications
        Turns.next { completionHandler(delivered) }
    }
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        pendingRequests.removeAll { identifiers.contains($0.identifier) }
    }
    public func removeAllPendingNotificationRequests() { pendingRequests = [] }
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        deliveredNotifications.removeAll { identifiers.contains($0.request.identifier) }
    }
    public func removeAllDeliveredNotifications() { deliveredNotifications = [] }
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
}

open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    public let timeInterval: TimeInterval
    public let repeats: Bool

    public init(timeInterval: TimeInterval, repeats: Bool) {
        (self.timeInterval, self.repeats) = (timeInterval, repeats)
    }
}

/// A push service has sent the notification.
public final class UNPushNotificationTrigger: UNNotificationTrigger {
    /// Not in UserNotifications, where only the system makes one.
    public override init() { super.init() }
}

open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    public let dateComponents: DateComponents
    public let repeats: Bool

    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        (self.dateComponents, self.repeats) = (dateComponents, repeats)
    }
}

public final class UNNotificationSound: NSObject, Sendable {
    public static let `default` = UNNotificationSound(named: UNNotificationSoundName(rawValue: "default"))
    public let name: String

    public init(named name: UNNotificationSoundName) { self.name = name.rawValue }
}

public struct UNNotificationSoundName: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1)
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}

public final class UNNotificationAction: NSObject, Sendable {
    public let identifier: String
    public let title: String

    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        (self.identifier, self.title) = (identifier, title)
    }
}

public final class UNNotificationCategory: NSObject, Sendable {
    public let identifier: String
    public let actions: [UNNotificationAction]

    public init(identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String], options: [Int] = []) {
        (self.identifier, self.actions) = (identifier, actions)
    }
}
