public import Foundation

/// AVFoundation's cameras and microphones, of which this machine has none.
open class AVCaptureDevice: NSObject {
    public static func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { .denied }

    @preconcurrency public static func requestAccess(
        for mediaType: AVMediaType, completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        DispatchQueue.global().async { completionHandler(false) }
    }

    public static func requestAccess(for mediaType: AVMediaType) async -> Bool { false }
    public static func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { nil }
}

public enum AVAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized }

public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let video = AVMediaType(rawValue: "vide")
    public static let audio = AVMediaType(rawValue: "soun")
}
