import BridgeProtocol
public import Foundation

/// A picture of a web view. It stands for `UIImage`.
public final class WKSnapshotImage: Sendable {
    private let data: Data

    fileprivate init(_ data: Data) { self.data = data }

    /// The picture as a PNG file.
    public func pngData() -> Data? { data }
}

/// The part and size of a picture.
@preconcurrency @MainActor open class WKSnapshotConfiguration: NSObject {
    open var rect = CGRect.null
    open var snapshotWidth: NSNumber?
    open var afterScreenUpdates = true

    public override init() { super.init() }
}

/// What a PDF has of a web view. `rect` has no effect: browsers print whole documents.
@preconcurrency @MainActor open class WKPDFConfiguration: NSObject {
    open var rect = CGRect.null
    open var allowTransparentBackground = false

    public override init() { super.init() }
}

extension WKWebView {
    /// Takes a picture of what a driven browser shows. Otherwise it fails: a page cannot take a picture of itself.
    public func takeSnapshot(
        with snapshotConfiguration: WKSnapshotConfiguration?,
        completionHandler: @escaping @MainActor @Sendable (WKSnapshotImage?, (any Error)?) -> Void
    ) {
        snapshot(snapshotConfiguration) { result in
            switch result {
            case .success(let image): completionHandler(image, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Takes a picture of what a driven browser shows. Otherwise it throws an error.
    public func takeSnapshot(configuration: WKSnapshotConfiguration?) async throws -> WKSnapshotImage {
        try await withCheckedThrowingContinuation { continuation in
            snapshot(configuration) { continuation.resume(with: $0) }
        }
    }

    /// Makes a PDF of what a driven browser shows. Otherwise it fails: a page cannot print itself.
    public func createPDF(
        configuration: WKPDFConfiguration = WKPDFConfiguration(),
        completionHandler: @escaping @MainActor @Sendable (Result<Data, any Error>) -> Void
    ) {
        file(
            .pdf,
            unavailable:
                "createPDF is unavailable: a browser's page cannot make a PDF of itself, but bridged open can.",
            completionHandler)
    }

    /// Makes a PDF of what a driven browser shows. Otherwise it throws an error.
    public func pdf(configuration: WKPDFConfiguration = WKPDFConfiguration()) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            createPDF(configuration: configuration) { continuation.resume(with: $0) }
        }
    }

    private func snapshot(
        _ configuration: WKSnapshotConfiguration?,
        _ completion: @escaping @MainActor @Sendable (Result<WKSnapshotImage, any Error>) -> Void
    ) {
        file(
            configuration?.command ?? .snapshot(),
            unavailable:
                "takeSnapshot is unavailable: a browser's page cannot take a picture of itself, but bridged open can."
        ) { completion($0.map(WKSnapshotImage.init)) }
    }

    /// Asks the driver of the page for a file, which comes in Base64.
    private func file(
        _ command: DriverCommand, unavailable text: String,
        _ completion: @escaping @MainActor @Sendable (Result<Data, any Error>) -> Void
    ) {
        guard let page = loader.attachedPage, page.isDriven else {
            Task { completion(.failure(WKError(.unknown, text: text))) }
            return
        }
        page.command(command) { result in
            completion(
                result.mapError { WKError($0) }.flatMap { value in
                    let data = Data(base64Encoded: value.string ?? "") ?? Data()
                    return data.isEmpty ? .failure(WKError(.unknown)) : .success(data)
                })
        }
    }
}

extension WKSnapshotConfiguration {
    fileprivate var command: DriverCommand {
        let numbers = [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height].map { Double($0) }
        return .snapshot(rect: rect.isNull ? nil : numbers, width: snapshotWidth?.doubleValue)
    }
}
