import Foundation
import TestSupport
import Testing

/// A file that `scripts/install test` puts into `.third-party`, because it is not ours to commit.
enum ThirdParty: String {
    case turbo, turbo8, turbolinks, stimulus
    case hotwireNativeBridge = "hotwire-native-bridge"

    var path: String { Repository.file(".third-party/\(rawValue).js").path }
    var isAtHand: Bool { FileManager.default.fileExists(atPath: path) }

    /// The variable that names the file for `scripts/install`, if npm cannot be reached; nil for what it always fetches.
    private var variable: String? {
        switch self {
        case .turbo, .turbolinks: nil
        case .turbo8: "TURBO8"
        case .stimulus: "STIMULUS"
        case .hotwireNativeBridge: "HOTWIRE_NATIVE_BRIDGE"
        }
    }

    /// Why a test did not run, and what to do. The summary of scripts/check shows it.
    var absence: String {
        let assignment = variable.map { "\($0)=FILE " } ?? ""
        return ".third-party/\(rawValue).js is not there: \(assignment)scripts/install test"
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if one of the files that it needs is not at hand.
    static func needs(_ files: ThirdParty...) -> Self {
        let missing = files.first { !$0.isAtHand }
        return .enabled(if: missing == nil, Comment(rawValue: missing?.absence ?? "every file is there"))
    }
}
