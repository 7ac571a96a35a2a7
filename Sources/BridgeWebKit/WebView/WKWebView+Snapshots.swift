public import Foundation

/// A picture of a web view. It stands for `UIImage`, and there is none.
public final class WKSnapshotImage: Sendable {
    private init() {}
}

/// The part and size of a picture.
@preconcurrency @MainActor open class WKSnapshotConfiguration: NSObject {
    open var rect = CGRect.null
    open var snapshotWidth: NSNumber?
    open var afterScreenUpdates = true

    public override init() { super.init() }
}

extension WKWebView {
    /// Fails: a page cannot take a picture of itself.
    public func takeSnapshot(
        with snapshotConfiguration: WKSnapshotConfiguration?,
        completionHandler: @escaping @MainActor @Sendable (WKSnapshotImage?, (any Error)?) -> Void
    ) {
        Task { completionHandler(nil, WKError.noSnapshot) }
    }

    /// Throws an error: a page cannot take a picture of itself.
    public func takeSnapshot(configuration: WKSnapshotConfiguration?) async throws -> WKSnapshotImage {
        throw WKError.noSnapshot
    }
}

extension WKError {
    fileprivate static let noSnapshot = WKError(
        .unknown, text: "takeSnapshot is unavailable: a browser's page cannot take a picture of itself.")
}
