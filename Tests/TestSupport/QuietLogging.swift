import Logging

/// Keeps the warnings that tests provoke out of the output. What a daemon warns of is a `problem` record as well, which
/// `Recorder` captures.
///
/// A process sets up its logging once, so the first test that asks does it for all.
public func captureWarnings() { _ = setUpOnce }

private let setUpOnce: Void = LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
