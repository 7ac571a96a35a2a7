import Foundation

/// Where a server runs its work. The server here has a thread for each connection, and runs the app's closure on one
/// queue, so that the loop only waits.
public protocol EventLoop: AnyObject {
    func runForever()
    func stop()
}

public protocol Selector {}

/// Names the system's queue of events, which this module does not use.
public struct KqueueSelector: Selector {
    public init() throws {}
}

/// `@unchecked Sendable`: the semaphore is all that it has.
public final class SelectorEventLoop: EventLoop, @unchecked Sendable {
    private let stopped = DispatchSemaphore(value: 0)

    public init(selector: any Selector) throws {}

    public func runForever() { stopped.wait() }
    public func stop() { stopped.signal() }
}
