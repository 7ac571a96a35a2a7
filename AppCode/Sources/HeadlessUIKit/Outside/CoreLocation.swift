public import Foundation

/// Core Location. As on a device whose user has switched location services off, requests are denied.
open class CLLocationManager: NSObject {
    public weak var delegate: (any CLLocationManagerDelegate)?
    public var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
    public var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
    public var authorizationStatus: CLAuthorizationStatus { .denied }
    public var accuracyAuthorization: CLAccuracyAuthorization { .reducedAccuracy }
    public var location: CLLocation? { nil }

    public override init() { super.init() }

    public class func locationServicesEnabled() -> Bool { false }
    public class func authorizationStatus() -> CLAuthorizationStatus { .denied }

    open func requestWhenInUseAuthorization() {}
    open func requestAlwaysAuthorization() {}

    /// "If the location service is unable to retrieve a location, it calls the delegate's
    /// locationManager(_:didFailWithError:) method." (Apple's documentation of `requestLocation`)
    @MainActor open func requestLocation() { fail() }
    @MainActor open func startUpdatingLocation() { fail() }
    open func stopUpdatingLocation() {}

    @MainActor private func fail() {
        Outside.report("CLLocationManager", "there is no location on this machine, so that the request is denied.")
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { delegate?.locationManager(self, didFailWithError: CLError(.denied)) }
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
