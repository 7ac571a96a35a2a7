import Logging

/// Keeps the warnings that tests provoke out of the output. Each warning of a daemon is also a `problem` record, which
/// `Recorder` captures.
///
/// A process can set up its logging only once, so the first call sets it up for all tests.
public func captureWarnings() { _ = setUpOnce }

private let setUpOnce: Void = LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
