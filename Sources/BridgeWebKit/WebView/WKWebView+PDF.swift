import BridgeProtocol
public import Foundation

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
