/// The reason why the daemon cannot listen or cannot continue to serve.
struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable {
        case addressInUse, addressUnavailable, permissionDenied, invalidAddress, libraryFailed, alreadyStarted
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
