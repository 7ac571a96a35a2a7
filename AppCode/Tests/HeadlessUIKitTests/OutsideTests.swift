import Foundation
import HeadlessUIKit
import Testing

/// What this machine has not: an app gets the answers of a device without it.
@MainActor struct OutsideTests {
    /// "If the location service is unable to retrieve a location, it calls the delegate's
    /// locationManager(_:didFailWithError:) method." (CLLocationManager.requestLocation)
    @Test func location_isDenied_andTheDelegateIsTold() async {
        let (errors, end) = AsyncStream.makeStream(of: CLError.Code?.self)
        let delegate = LocationDelegate { end.yield(($0 as? CLError)?.code) }
        let manager = CLLocationManager()
        manager.delegate = delegate
        #expect(manager.authorizationStatus == .denied)
        manager.requestLocation()
        for await code in errors {
            #expect(code == .denied)
            break
        }
    }

    /// "isSupported: A Boolean value that indicates whether the device supports data scanning."
    /// (DataScannerViewController)
    @Test func scanner_isNotSupported() {
        #expect(!DataScannerViewController.isSupported && !DataScannerViewController.isAvailable)
        let scanner = DataScannerViewController(recognizedDataTypes: [.barcode(symbologies: [.qr])])
        #expect(throws: DataScannerViewController.ScanningUnavailable.self) { try scanner.startScanning() }
        #expect(!scanner.isScanning)
    }

    /// "denied: The user has previously denied the app permission to access a capture device."
    /// (AVAuthorizationStatus)
    @Test func camera_isDenied() async {
        #expect(AVCaptureDevice.authorizationStatus(for: .video) == .denied)
        #expect(await AVCaptureDevice.requestAccess(for: .audio) == false)
    }
}

private final class LocationDelegate: NSObject, CLLocationManagerDelegate {
    private let failed: (any Error) -> Void

    init(failed: @escaping (any Error) -> Void) { self.failed = failed }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { failed(error) }
}
