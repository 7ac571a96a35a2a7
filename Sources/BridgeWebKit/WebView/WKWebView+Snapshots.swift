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

extension WKWebView {
    /// Takes a picture of what a driven browser shows. Otherwise it fails: a page cannot take a picture of itself.
    public func takeSnapshot(
        with snapshotConfiguration: WKSnapshotConfiguration?,
        completionHandler: @escaping @MainActor @Sendable (WKSnapshotImage?, (any Error)?) -> Void
    ) {
        guard let page = loader.attachedPage, page.isDriven else {
            Task { completionHandler(nil, WKError.noSnapshot) }
            return
        }
        page.command("page.snapshot", snapshotConfiguration?.params ?? []) { result in
            switch result {
            case .success(let value):
                let data = value.string.flatMap { Data(base64Encoded: $0) }
                completionHandler(data.map(WKSnapshotImage.init), data == nil ? WKError(.unknown) : nil)
            case .failure(let error): completionHandler(nil, WKError(error))
            }
        }
    }

    /// Takes a picture of what a driven browser shows. Otherwise it throws an error.
    public func takeSnapshot(configuration: WKSnapshotConfiguration?) async throws -> WKSnapshotImage {
        try await withCheckedThrowingContinuation { continuation in
            takeSnapshot(with: configuration) { image, error in
                if let image {
                    continuation.resume(returning: image)
                } else {
                    continuation.resume(throwing: error ?? WKError(.unknown))
                }
            }
        }
    }
}

extension WKSnapshotConfiguration {
    /// The params of `page.snapshot`.
    fileprivate var params: [JSONValue.Member] {
        var params: [JSONValue.Member] = []
        if !rect.isNull {
            let numbers = [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height]
            params.append(.init("rect", .array(numbers.map { .number(Double($0)) })))
        }
        if let width = snapshotWidth { params.append(.init("width", .number(width.doubleValue))) }
        return params
    }
}

extension WKError {
    fileprivate static let noSnapshot = WKError(
        .unknown,
        text: "takeSnapshot is unavailable: a browser's page cannot take a picture of itself, but bridged open can.")
}

/// What a PDF has of a web view. `rect` has no effect: browsers print whole documents.
@preconcurrency @MainActor open class WKPDFConfiguration: NSObject {
    open var rect = CGRect.null
    open var allowTransparentBackground = false

    public override init() { super.init() }
}

extension WKWebView {
    /// Makes a PDF of what a driven browser shows. Otherwise it fails: a page cannot print itself.
    public func createPDF(
        configuration: WKPDFConfiguration = WKPDFConfiguration(),
        completionHandler: @escaping @MainActor @Sendable (Result<Data, any Error>) -> Void
    ) {
        guard let page = loader.attachedPage, page.isDriven else {
            Task { completionHandler(.failure(WKError.noPDF)) }
            return
        }
        page.command("page.pdf", []) { result in
            completionHandler(
                Result {
                    guard let data = Data(base64Encoded: try result.get().string ?? ""), !data.isEmpty else {
                        throw WKError(.unknown)
                    }
                    return data
                }.mapError { ($0 as? ScriptError).map(WKError.init) ?? $0 })
        }
    }

    /// Makes a PDF of what a driven browser shows. Otherwise it throws an error.
    public func pdf(configuration: WKPDFConfiguration = WKPDFConfiguration()) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            createPDF(configuration: configuration) { continuation.resume(with: $0) }
        }
    }
}

extension WKError {
    fileprivate static let noPDF = WKError(
        .unknown,
        text: "createPDF is unavailable: a browser's page cannot make a PDF of itself, but bridged open can.")
}
