import Foundation
public import OHHTTPStubs

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers the requests that meet a condition.
@discardableResult
public func stub(
    condition: @escaping HTTPStubsTestBlock, response: @escaping HTTPStubsResponseBlock
) -> any HTTPStubsDescriptor {
    HTTPStubs.stubRequests(passingTest: condition, withStubResponse: response)
}

public func isMethodGET() -> HTTPStubsTestBlock { { $0.httpMethod == "GET" } }
public func isMethodPOST() -> HTTPStubsTestBlock { { $0.httpMethod == "POST" } }
public func isScheme(_ scheme: String) -> HTTPStubsTestBlock { { $0.url?.scheme == scheme } }
public func isHost(_ host: String) -> HTTPStubsTestBlock { { $0.url?.host == host } }
public func isPath(_ path: String) -> HTTPStubsTestBlock { { $0.url?.path == path } }
public func isAbsoluteURLString(_ url: String) -> HTTPStubsTestBlock { { $0.url?.absoluteString == url } }

public func && (lhs: @escaping HTTPStubsTestBlock, rhs: @escaping HTTPStubsTestBlock) -> HTTPStubsTestBlock {
    { lhs($0) && rhs($0) }
}
public func || (lhs: @escaping HTTPStubsTestBlock, rhs: @escaping HTTPStubsTestBlock) -> HTTPStubsTestBlock {
    { lhs($0) || rhs($0) }
}
public prefix func ! (expr: @escaping HTTPStubsTestBlock) -> HTTPStubsTestBlock { { !expr($0) } }
