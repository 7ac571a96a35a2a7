import Dispatch

/// Calls a handler on the main actor whenever a descriptor can be read, until it is cancelled.
@MainActor package protocol ReadSource: AnyObject {
    /// Ends the calls. The caller must not close the descriptor before `whenCancelled`, which is called once.
    func cancel(whenCancelled: @escaping @MainActor () -> Void)
}

/// How this process waits for descriptors.
package enum ReadSources {
    package typealias Maker = @MainActor (Int32, @escaping @MainActor () -> Void) -> any ReadSource

    /// Makes a source of a descriptor and a handler. A process whose main thread has a loop of its own replaces this
    /// once, before it connects: libdispatch polls on another thread, which then has to wake the main one.
    @MainActor package static var make: Maker = { DispatchReadSource($0, $1) }

    /// Whether `make` takes pipes as well. A read source of libdispatch can crash this process if the other end of its pipe
    /// closes (https://github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
    @MainActor static var takesPipes = false
}

/// A read source of libdispatch, whose handler runs on the main queue.
@MainActor private final class DispatchReadSource: ReadSource {
    private let source: any DispatchSourceRead

    init(_ descriptor: Int32, _ handler: @escaping @MainActor () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { handler() } }
        source.activate()
    }

    func cancel(whenCancelled: @escaping @MainActor () -> Void) {
        source.setCancelHandler { MainActor.assumeIsolated { whenCancelled() } }
        source.cancel()
    }
}
