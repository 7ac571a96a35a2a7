import Foundation

/// Tells apart why a name is missing, and says what to do about it.
struct MissingKinds {
    /// The names of pods, from the `Podfile`.
    var pods: Set<String> = []
    /// The modules of targets that another project builds.
    var otherTargets: Set<String> = []
    /// The words in the app's files in Objective-C.
    var objectiveC: Set<String> = []

    enum Kind: Int, CaseIterable {
        case pod
        case otherTarget
        case objectiveC
        case framework
        case ours
        case unknown

        var advice: String {
            switch self {
            case .pod: "pods, which bridged does not build. If one is also a Swift package, add it to the project"
            case .otherTarget: "targets of another project. If one has a Package.swift: --package NAME=FOLDER"
            case .objectiveC: "declared in Objective-C, which bridged does not build"
            case .framework: "of Apple's frameworks that Linux lacks. The app runs as on a device without them"
            case .ours: "of UIKit, WebKit or SwiftUI, which bridged lacks: please report it"
            case .unknown: "neither in the app nor in bridged"
            }
        }
    }

    /// - Parameter name: as in `UIView.snap`, `module HealthKit` or `@Model`.
    func kind(of name: String) -> Kind {
        let bare = name.hasPrefix("module ") ? String(name.dropFirst(7)) : name
        let first = bare.split(separator: ".").first.map { String($0).trimmingCharacters(in: ["@"]) } ?? bare
        if pods.contains(first) { return .pod }
        if otherTargets.contains(first) { return .otherTarget }
        if name.hasPrefix("module ") { return MissingKinds.frameworks.contains(first) ? .framework : .unknown }
        if objectiveC.contains(first) { return .objectiveC }
        if first.prefixMatch(of: /(UI|NS|WK)[A-Z]/) != nil { return .ours }
        if name.hasPrefix("@") { return .ours }
        if first.prefixMatch(of: MissingKinds.prefixes) != nil { return .framework }
        return .unknown
    }

    private static var prefixes: Regex<Substring> {
        /(?:AV|AR|AS|AU|CA|CB|CG|CI|CK|CL|CM|CN|CT|CV|EK|GC|HK|HM|IN|LA|LP|MC|MF|MK|MP|MTL|MTK|NE|NW|OS|PH|PK|QL|RP|SCN|Sec|SF|SK|UN|UT|VN|WC|kSec|kUT)[A-Z]/
    }

    /// Lines that say for each kind what is missing.
    func lines(for whats: [String]) -> [String] {
        var names: [Kind: Set<String>] = [:]
        for what in whats {
            guard let match = what.wholeMatch(of: /`(.+)`/) else { continue }
            names[kind(of: String(match.1)), default: []].insert(String(match.1))
        }
        return Kind.allCases.compactMap { kind in
            names[kind].map { "  \($0.sorted().joined(separator: ", ")): \(kind.advice)" }
        }
    }

    private static let frameworks: Set = [
        "ARKit", "AVFAudio", "AVFoundation", "AVKit", "Accelerate", "Accounts", "ActivityKit", "AdServices",
        "AdSupport",
        "AddressBook", "AppIntents", "AppTrackingTransparency", "AssetsLibrary", "AudioToolbox",
        "AuthenticationServices", "BackgroundTasks", "CFNetwork", "CallKit", "CarPlay", "Charts", "ClockKit",
        "CloudKit",
        "Combine", "CommonCrypto", "Contacts", "ContactsUI", "CoreAudio", "CoreBluetooth", "CoreData",
        "CoreFoundation", "CoreGraphics", "CoreHaptics", "CoreImage", "CoreLocation", "CoreML", "CoreMIDI", "CoreMedia",
        "CoreMotion", "CoreNFC", "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreVideo", "CryptoKit",
        "Darwin", "DeviceCheck", "EventKit", "EventKitUI", "ExternalAccessory", "FileProvider", "GameController",
        "GameKit", "GameplayKit", "HealthKit", "HealthKitUI", "HomeKit", "ImageIO", "Intents", "IntentsUI",
        "JavaScriptCore",
        "LinkPresentation", "LocalAuthentication", "MapKit", "MediaPlayer", "MessageUI", "Messages", "Metal",
        "MetalKit",
        "MetricKit", "MobileCoreServices", "MultipeerConnectivity", "NaturalLanguage", "NearbyInteraction", "Network",
        "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC", "PDFKit", "PassKit", "PencilKit", "Photos",
        "PhotosUI", "PushKit", "QuartzCore", "QuickLook", "RealityKit", "ReplayKit", "SafariServices", "SceneKit",
        "ScreenTime", "Security", "SensorKit", "SharedWithYou", "ShazamKit", "Social", "SoundAnalysis", "Speech",
        "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SystemConfiguration", "TipKit", "Translation",
        "UniformTypeIdentifiers",
        "UserNotifications", "UserNotificationsUI", "VideoToolbox", "Vision", "VisionKit", "WatchConnectivity",
        "WatchKit", "WeatherKit", "WidgetKit", "os",
    ]
}

extension MissingKinds {
    init(_ source: AppSource, project: URL) {
        let files = source.unsupported.flatMap { [$0, $0.deletingPathExtension().appendingPathExtension("h")] }
        for text in files.compactMap({ try? String(contentsOf: $0, encoding: .utf8) }) {
            objectiveC.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }
        otherTargets = source.otherTargets
        let isFile = ["xcodeproj", "xcworkspace", "swift"].contains(project.pathExtension)
        let folder = isFile ? project.deletingLastPathComponent() : project
        let podfile = try? String(contentsOf: folder.appendingPathComponent("Podfile"), encoding: .utf8)
        let lines = (podfile ?? "").split(whereSeparator: \.isNewline)
        pods = Set(lines.compactMap { $0.prefixMatch(of: /\s*pod\s+['"]([^'"\/]+)/).map { String($0.1) } })
    }
}
