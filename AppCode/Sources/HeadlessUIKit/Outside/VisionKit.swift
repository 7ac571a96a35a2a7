public import Foundation

/// VisionKit's scanner of codes and texts. As on a device without a camera, it is not supported.
open class DataScannerViewController: UIViewController {
    public enum RecognizedDataType: Hashable {
        case barcode(symbologies: [VNBarcodeSymbology])
        case text(languages: [String])

        public static func barcode() -> RecognizedDataType { .barcode(symbologies: []) }
        public static func text() -> RecognizedDataType { .text(languages: []) }
    }

    public enum QualityLevel: Sendable { case balanced, fast, accurate }

    public enum ScanningUnavailable: Error { case unsupported, cameraRestricted }

    public static var isSupported: Bool { false }
    public static var isAvailable: Bool { false }

    public weak var delegate: (any DataScannerViewControllerDelegate)?
    public private(set) var isScanning = false
    public let recognizedDataTypes: Set<RecognizedDataType>

    public init(
        recognizedDataTypes: Set<RecognizedDataType>, qualityLevel: QualityLevel = .balanced,
        recognizesMultipleItems: Bool = false, isHighFrameRateTrackingEnabled: Bool = true,
        isPinchToZoomEnabled: Bool = true, isGuidanceEnabled: Bool = true, isHighlightingEnabled: Bool = false
    ) {
        self.recognizedDataTypes = recognizedDataTypes
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        recognizedDataTypes = []
        super.init(coder: coder)
    }

    public func startScanning() throws {
        Outside.report("DataScannerViewController", "there is no camera, so that scanning is not supported.")
        throw ScanningUnavailable.unsupported
    }

    public func stopScanning() {}
}

/// What a scanner has found.
public enum RecognizedItem: Sendable {
    public struct Barcode: Sendable {
        public let payloadStringValue: String?
    }

    public struct Text: Sendable {
        public let transcript: String
    }

    case barcode(Barcode)
    case text(Text)
}

@preconcurrency @MainActor public protocol DataScannerViewControllerDelegate: AnyObject {
    func dataScanner(
        _ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem])
    func dataScanner(
        _ dataScanner: DataScannerViewController,
        becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable)
    func dataScanner(_ dataScanner: DataScannerViewController, didTapOn item: RecognizedItem)
}

extension DataScannerViewControllerDelegate {
    public func dataScanner(
        _ dataScanner: DataScannerViewController, didAdd addedItems: [RecognizedItem], allItems: [RecognizedItem]
    ) {}
    public func dataScanner(
        _ dataScanner: DataScannerViewController,
        becameUnavailableWithError error: DataScannerViewController.ScanningUnavailable
    ) {}
    public func dataScanner(_ dataScanner: DataScannerViewController, didTapOn item: RecognizedItem) {}
}

/// Vision's kinds of codes.
public struct VNBarcodeSymbology: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let qr = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyQR")
    public static let ean8 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyEAN8")
    public static let ean13 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyEAN13")
    public static let pdf417 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyPDF417")
    public static let code39 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyCode39")
    public static let code93 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyCode93")
    public static let code128 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyCode128")
    public static let aztec = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyAztec")
    public static let dataMatrix = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyDataMatrix")
    public static let upce = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyUPCE")
    public static let itf14 = VNBarcodeSymbology(rawValue: "VNBarcodeSymbologyITF14")
}
