public import Foundation

/// Core Location. As on a device whose user has switched location services off, requests are denied, unless a test moves the
/// phone to a place.
open class CLLocationManager: NSObject {
    public weak var delegate: (any CLLocationManagerDelegate)?
    public var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
    public var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
    public var authorizationStatus: CLAuthorizationStatus { CLLocationManager.authorizationStatus() }
    public var accuracyAuthorization: CLAccuracyAuthorization { location == nil ? .reducedAccuracy : .fullAccuracy }
    public var location: CLLocation? { Phone.shared.location }
    @MainActor private var isUpdating = false

    public override init() {
        super.init()
        Phone.shared.add(self)
    }

    public class func locationServicesEnabled() -> Bool { Phone.shared.location != nil }
    public class func authorizationStatus() -> CLAuthorizationStatus {
        Phone.shared.location == nil ? .denied : .authorizedWhenInUse
    }

    @preconcurrency @MainActor open func requestWhenInUseAuthorization() { tellAuthorization() }
    @preconcurrency @MainActor open func requestAlwaysAuthorization() { tellAuthorization() }

    /// "If the location service is unable to retrieve a location, it calls the delegate's
    /// locationManager(_:didFailWithError:) method." (Apple's documentation of `requestLocation`)
    @MainActor open func requestLocation() { answer() }
    @MainActor open func startUpdatingLocation() {
        isUpdating = true
        answer()
    }
    @MainActor open func stopUpdatingLocation() { isUpdating = false }

    /// Moves the phone, whose user allows each app to know its place from then on. (Not in Core Location.)
    @MainActor public static func movePhone(to location: CLLocation) {
        let isFirst = Phone.shared.location == nil
        Phone.shared.location = location
        for manager in Phone.shared.managers {
            if isFirst { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
            if manager.isUpdating { manager.answer() }
        }
    }

    /// Denies each app the phone's place again, as at the start. (Not in Core Location.)
    @MainActor public static func losePhone() { Phone.shared.location = nil }

    @MainActor private func tellAuthorization() {
        Turns.next { [self] in delegate?.locationManagerDidChangeAuthorization(self) }
    }

    @MainActor private func answer() {
        if location == nil {
            Outside.report(
                "CLLocationManager",
                "there is no location on this machine, so that the request is denied. A test can give one: bridged app "
                    + "location.move 48.85 2.35")
        }
        Turns.next { [self] in
            if let location {
                delegate?.locationManager(self, didUpdateLocations: [location])
            } else {
                delegate?.locationManager(self, didFailWithError: CLError(.denied))
            }
        }
    }
}

/// Where the phone is, and who asks for it.
private final class Phone: @unchecked Sendable {
    static let shared = Phone()

    // The lock guards both: apps may make managers and read their state on any thread.
    private let lock = NSLock()
    private var place: CLLocation?
    private var followers: [Follower] = []

    private struct Follower { weak var manager: CLLocationManager? }

    var location: CLLocation? {
        get { lock.withLock { place } }
        set { lock.withLock { place = newValue } }
    }

    var managers: [CLLocationManager] { lock.withLock { followers.compactMap(\.manager) } }

    func add(_ manager: CLLocationManager) {
        lock.withLock {
            followers.removeAll { $0.manager == nil }
            followers.append(Follower(manager: manager))
        }
    }
}

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double
public typealias CLLocationSpeed = Double
public typealias CLLocationDirection = Double
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
public let kCLDistanceFilterNone: CLLocationDistance = -1

public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse

    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

public enum CLAccuracyAuthorization: Int, Sendable { case fullAccuracy, reducedAccuracy }

public struct CLLocationCoordinate2D: Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees

    public init(latitude: CLLocationDegrees = 0, longitude: CLLocationDegrees = 0) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

open class CLLocation: NSObject {
    public let coordinate: CLLocationCoordinate2D
    public let timestamp = Date()
    public let altitude: CLLocationDistance = 0
    public let horizontalAccuracy: CLLocationAccuracy = 0

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}

public struct CLError: Error {
    public enum Code: Int, Sendable { case locationUnknown, denied, network }

    public let code: Code
    public init(_ code: Code) { self.code = code }
}

@preconcurrency public protocol CLLocationManagerDelegate: AnyObject {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
}
