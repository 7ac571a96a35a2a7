public import HeadlessViews

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    public static let provisional = UNAuthorizationOptions(rawValue: 64)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    /// Shows the notification. Apple has replaced it by ``list`` and ``banner``, and apps for older systems still use it.
    public static let alert = UNNotificationPresentationOptions(rawValue: 4)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

public enum UNAuthorizationStatus: Int, Sendable { case notDetermined, denied, authorized, provisional, ephemeral }

public final class UNNotificationSettings: NSObject, Sendable {
    public let authorizationStatus: UNAuthorizationStatus

    init(_ authorizationStatus: UNAuthorizationStatus) { self.authorizationStatus = authorizationStatus }
}

/// The notifications of an app. Permission is given, unless a test sets `grantsAuthorization` to false.
@preconcurrency @MainActor open class UNUserNotificationCenter: NSObject {
    private static let shared = UNUserNotificationCenter()
    open class func current() -> UNUserNotificationCenter { shared }

    open weak var delegate: (any UNUserNotificationCenterDelegate)?
    /// Whether the user allows notifications. (Not in UserNotifications.)
    public var grantsAuthorization = true
    private var status = UNAuthorizationStatus.notDetermined
    var pendingRequests: [UNNotificationRequest] = []
    /// The notifications that are shown, the newest last. (Not in UserNotifications.)
    public internal(set) var deliveredNotifications: [UNNotification] = []

    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        status = grantsAuthorization ? .authorized : .denied
        return grantsAuthorization
    }

    @preconcurrency open func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        status = grantsAuthorization ? .authorized : .denied
        let isGranted = grantsAuthorization
        Turns.next { completionHandler(isGranted, nil) }
    }

    open func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings(status) }

    @preconcurrency open func getNotificationSettings(
        completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
    ) {
        let settings = UNNotificationSettings(status)
        Turns.next { completionHandler(settings) }
    }

    open func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: ((any Error)?) -> Void = { _ in }
    ) {
        UIApplication.shared.applicationIconBadgeNumber = newBadgeCount
        completionHandler(nil)
    }

    /// Acts as if the user had tapped a notification, which brings the app to the foreground. (Not in UserNotifications.)
    public func tap(_ notification: UNNotification) {
        deliveredNotifications.removeAll { $0 === notification }
        if UIApplication.shared.applicationState == .background { UIApplication.shared.enterForeground() }
        let response = UNNotificationResponse(notification: notification)
        delegate?.userNotificationCenter(self, didReceive: response, withCompletionHandler: {})
    }
}

@preconcurrency @MainActor public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
}

extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}

    /// Objective-C has one method for both forms of `didReceive`; a delegate implements one of them.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        Task {
            await userNotificationCenter(center, didReceive: response)
            completionHandler()
        }
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Objective-C has one method for both forms of `willPresent`; a delegate implements one of them.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        Task { completionHandler(await userNotificationCenter(center, willPresent: notification)) }
    }
}

@preconcurrency @MainActor open class UNNotificationContent: NSObject {
    open var title = ""
    open var subtitle = ""
    open var body = ""
    open var badge: NSNumber?
    open var sound: UNNotificationSound?
    open var categoryIdentifier = ""
    open var threadIdentifier = ""
    open var userInfo: [AnyHashable: Any] = [:]
}

open class UNMutableNotificationContent: UNNotificationContent {}

@preconcurrency @MainActor open class UNNotificationTrigger: NSObject {}

@preconcurrency @MainActor open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public let trigger: UNNotificationTrigger?

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        (self.identifier, self.content, self.trigger) = (identifier, content, trigger)
    }
}

@preconcurrency @MainActor open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    public let date = Date()

    init(request: UNNotificationRequest) { self.request = request }
}

@preconcurrency @MainActor open class UNNotificationResponse: NSObject {
    public let actionIdentifier = UNNotificationDefaultActionIdentifier
    public let notification: UNNotification

    init(notification: UNNotification) { self.notification = notification }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
