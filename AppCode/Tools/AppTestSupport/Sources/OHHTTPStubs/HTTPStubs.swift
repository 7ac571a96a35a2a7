import CBeforeMain
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

public typealias HTTPStubsTestBlock = (URLRequest) -> Bool
public typealias HTTPStubsResponseBlock = (URLRequest) -> HTTPStubsResponse

/// A handle of a stub, for `HTTPStubs.removeStub`.
public protocol HTTPStubsDescriptor: AnyObject {
    var name: String? { get set }
}

/// The answers that requests of `URLSession.shared` get in place of a server's.
public enum HTTPStubs {
    /// `@unchecked Sendable`: `stubs` is locked, and the blocks are called by one loading protocol at a time.
    final class Stub: HTTPStubsDescriptor, @unchecked Sendable {
        var name: String?
        let test: HTTPStubsTestBlock
        let response: HTTPStubsResponseBlock

        init(_ test: @escaping HTTPStubsTestBlock, _ response: @escaping HTTPStubsResponseBlock) {
            self.test = test
            self.response = response
        }
    }

    private static let stubs = Mutex<[Stub]>([])

    /// Of several stubs for a request, the one that was added last answers.
    @discardableResult
    public static func stubRequests(
        passingTest testBlock: @escaping HTTPStubsTestBlock,
        withStubResponse responseBlock: @escaping HTTPStubsResponseBlock
    ) -> any HTTPStubsDescriptor {
        let stub = Stub(testBlock, responseBlock)
        stubs.withLock { $0.append(stub) }
        return stub
    }

    @discardableResult
    public static func removeStub(_ stubDesc: any HTTPStubsDescriptor) -> Bool {
        stubs.withLock { stubs in
            let count = stubs.count
            stubs.removeAll { $0 === stubDesc }
            return stubs.count < count
        }
    }

    public static func removeAllStubs() { stubs.withLock { $0 = [] } }

    static func stub(for request: URLRequest) -> Stub? { stubs.withLock { $0 }.last { $0.test(request) } }
}

/// Called before `main`.
@_cdecl("app_test_support_register") func registerProtocol() {
    _ = URLProtocol.registerClass(StubProtocol.self)
}
