import CSpawn
package import Foundation
import Synchronization

/// A program that this process has started, in a session of its own, whose first process group is the program's.
///
/// A program may put its own children into other groups, as `swift build` does with each compiler, but the session stays
/// theirs. So nothing is left of a program that is killed. Without a terminal in its session, a program such as `git` fails
/// instead of waiting for a password.
///
/// It inherits only the descriptors that it is given, and no blocked or ignored signals. Its methods can be called on any
/// thread.
///
/// Foundation's `Process` is no alternative: it reads beyond a buffer while it looks for the descriptors to close (Swift
/// 6.3.1, swift-corelibs-foundation's pull request 5472), which ended tests; a child inherits the signals that the
/// starting thread has blocked; and `waitUntilExit` waits for every process that inherited one of its sockets.
package final class ChildProcess: Sendable {
    /// How a process has ended.
    package struct Ending: Sendable {
        /// The number that the process has ended with, or that of the signal that ended it.
        package let status: Int32
        package let isSignal: Bool

        /// That of a process which other code in this process has reaped. It counts as a failure.
        fileprivate static let unknown = Ending(status: -1, isSignal: false)

        package var isSuccess: Bool { status == 0 && !isSignal }

        /// The number that a shell would give: 128 plus the signal's number if a signal ended the process.
        package var shellStatus: Int32 { isSignal ? 128 + status : status }

        /// The end of a sentence.
        package var text: String {
            guard status >= 0 else { return "has ended" }
            return isSignal ? "was ended by the signal \(status)" : "has ended with the status \(status)"
        }
    }

    /// What a standard stream of the process is connected to.
    package enum Stream: Sendable {
        /// Nothing: there is nothing to read, and what is written is of no interest.
        case null
        case file(FileHandle)
        /// The other end of the pipe is this process's, which lets go of the child's.
        case pipe(Pipe)

        /// That of this process.
        package static let standardOutput = Stream.file(.standardOutput)
        package static let standardError = Stream.file(.standardError)
    }

    /// The number of the process, of its group and of its session.
    package let id: Int32
    /// Keeps this process's ends of the pipes open: a program that writes into a pipe without a reader ends.
    private let streams: [Stream]
    private let state = Mutex(State())
    private let running = DispatchGroup()

    private struct State {
        var ending: Ending?
        var handlers: [@Sendable (Ending) -> Void] = []
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: nil for this process's own.
    ///   - folder: where the program begins; nil for this process's own.
    ///   - pipes: become its descriptors 3, which it reads, and 4, which it writes.
    ///   - endsWithThisProcess: ends the program and its session with this process, even if this one crashes; and its
    ///     session when the program itself has ended.
    ///   - folderToDelete: is deleted when this process has ended and left the program behind.
    /// - Throws: `ChildProcessError`.
    package init(
        _ executable: URL, _ arguments: [String] = [], environment: [String: String]? = nil, folder: URL? = nil,
        input: Stream = .null, output: Stream = .null, errors: Stream = .null,
        pipes: (input: Pipe, output: Pipe)? = nil,
        endsWithThisProcess: Bool = true, deleting folderToDelete: URL? = nil
    ) throws(ChildProcessError) {
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            let code = access(executable.path, F_OK) == 0 ? EACCES : ENOENT
            throw ChildProcessError(program: executable, folder: nil, code: code)
        }
        var command = [executable.path] + arguments
        var streams = [input, output, errors] + (pipes.map { [.pipe($0.input), .pipe($0.output)] } ?? [])
        if endsWithThisProcess {
            command = ChildProcess.watched(command, deleting: folderToDelete, lifeline: streams.count)
            streams.append(.pipe(.withoutInheritance()))
        }
        self.streams = streams
        // All but the output, the errors and descriptor 4.
        let reads = streams.indices.map { ![1, 2].contains($0) && !(pipes != nil && $0 == 4) }
        let handles = zip(streams, reads).map { stream, reads in stream.handle(reads: reads) }
        let code: Int32
        (id, code) = ChildProcess.spawn(command, environment ?? ProcessInfo.processInfo.environment, folder, handles)
        guard code == 0 else { throw ChildProcessError(program: executable, folder: folder, code: code) }
        for (stream, reads) in zip(streams, reads) { stream.letGo(reads: reads) }
        running.enter()
        Thread.detachNewThread { [self] in waitAndReap(killsSession: endsWithThisProcess) }
    }

    package var isRunning: Bool { state.withLock { $0.ending == nil } }

    /// Sends a signal to the process. Does nothing if it has ended.
    package func signal(_ number: Int32) { send(number, to: id) }

    /// Sends a signal to all processes of its group. Does nothing if the process itself has ended.
    package func signalGroup(_ number: Int32) { send(number, to: -id) }

    /// Kills the process and its session, and waits until it has ended. Does nothing if it is not running.
    package func end() {
        signalGroup(SIGKILL)
        waitForEnd()
    }

    /// Asks the process to end, so that it can tidy up, and kills it and its session if it has not in time.
    package func endInOrder(within limit: Duration = .seconds(1)) {
        signal(SIGTERM)
        if waitForEnd(within: limit) == nil { end() }
    }

    /// Waits until the process has ended.
    @discardableResult
    package func waitForEnd() -> Ending {
        running.wait()
        return state.withLock(\.ending) ?? .unknown
    }

    /// Waits until the process has ended, or until a time is over.
    /// - Returns: nil if it still runs.
    package func waitForEnd(within limit: Duration) -> Ending? {
        guard running.wait(timeout: .now() + DispatchTimeInterval(limit)) == .success else { return nil }
        return waitForEnd()
    }

    /// Calls `body` on a thread of its own when the process has ended, or at once if it has.
    package func whenEnded(_ body: @escaping @Sendable (Ending) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil { state.handlers.append(body) }
            return state.ending
        }
        guard let ending else { return }
        Thread.detachNewThread { body(ending) }
    }

    /// Holds the lock while it sends, because the number may belong to another process as soon as this one is reaped.
    private func send(_ number: Int32, to target: pid_t) {
        state.withLock { state in
            guard state.ending == nil else { return }
            kill(target, number)
        }
    }

    /// Waits for the end, and lets the system forget the process.
    private func waitAndReap(killsSession: Bool) {
        var info = siginfo_t()
        var result: Int32
        repeat { result = waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) } while result == -1 && errno == EINTR
        // It fails only if other code in this process has reaped the child, and so knows how it ended.
        let ending = result == 0 ? Ending(info) : .unknown
        // The number of the group and the session is the process's until it is reaped.
        if killsSession, result == 0 { Session(id).kill() }
        let handlers = state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            state.ending = ending
            return state.handlers
        }
        running.leave()
        for handler in handlers { handler(ending) }
    }
}

extension ChildProcess {
    /// The command of a shell that starts a program and, in the background, waits for the end of this process: of a pipe
    /// that nobody else can write into, and that nobody does.
    ///
    /// `PR_SET_PDEATHSIG` is no alternative: Linux sends that signal when the *thread* that has started the process ends.
    /// Nor is `kill -0`: it succeeds for a process that has ended, as long as nobody has reaped it, and `swift test` reaps
    /// its tests only when all have ended that have their output.
    /// - Parameters:
    ///   - folder: is deleted after the other processes of the group have had a second to end.
    ///   - lifeline: the descriptor of the pipe.
    private static func watched(_ command: [String], deleting folder: URL?, lifeline: Int) -> [String] {
        // The shell is in the group itself, so it ends with the last command.
        let delete = folder == nil ? "" : "trap '' TERM; kill -KILL $$; kill -TERM -$$; sleep 1; rm -rf \"$folder\"; "
        let watch = "read -r line; \(delete)\(Session.script)kill -KILL -$$"
        // The watching shell must not keep the pipes of the program open.
        let others = (3...5).map { " \($0)>&-" }.joined()
        let start = "folder=$1; shift; (\(watch)) <&\(lifeline) >/dev/null 2>&1\(others) & exec \"$@\" \(lifeline)>&-"
        return ["/bin/sh", "-c", start, "sh", folder?.path ?? ""] + command
    }

    /// - Parameter handles: become the descriptors from 0 on; nil for `/dev/null`.
    /// - Returns: the number of the process, and 0 or the system's error number.
    private static func spawn(
        _ command: [String], _ environment: [String: String], _ folder: URL?, _ handles: [FileHandle?]
    ) -> (id: pid_t, code: Int32) {
        let copies = handles.map { copy($0, above: Int32(handles.count)) }
        defer { for copy in copies { close(copy) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        for (index, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, Int32(index)) }
        CSpawn_close_from(&actions, Int32(handles.count))
        if let folder { CSpawn_change_folder(&actions, folder.path) }
        forgetSignals(&attributes)

        var id = pid_t()
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let code = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawn(&id, command[0], &actions, &attributes, arguments, $0) }
        }
        return (id, code)
    }

    /// Copies the descriptor to one that the child does not use, so that none replaces another.
    /// - Returns: a descriptor for `/dev/null` if there is none, or if it is closed.
    private static func copy(_ handle: FileHandle?, above count: Int32) -> Int32 {
        let copy = handle.map { fcntl($0.fileDescriptor, F_DUPFD_CLOEXEC, count) } ?? -1
        guard copy < 0 else { return copy }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return fcntl(null, F_DUPFD_CLOEXEC, count)
    }

    private static func forgetSignals(_ attributes: inout posix_spawnattr_t) {
        posix_spawnattr_setflags(&attributes, CSpawn_flags())
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        sigdelset(&all, SIGKILL)
        sigdelset(&all, SIGSTOP)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
    }

    /// Calls `body` with a list of C strings that ends with nil, as `argv` does.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

extension ChildProcess.Stream {
    /// - Parameter reads: whether the child reads from the stream.
    fileprivate func handle(reads: Bool) -> FileHandle? {
        switch self {
        case .null: nil
        case .file(let handle): handle
        case .pipe(let pipe): reads ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        }
    }

    /// Closes the child's end of a pipe. With ours open, the pipe would never end.
    fileprivate func letGo(reads: Bool) {
        guard case .pipe = self else { return }
        try? handle(reads: reads)?.close()
    }
}

extension ChildProcess.Ending {
    fileprivate init(_ info: siginfo_t) {
        isSignal = Int(info.si_code) != Int(CLD_EXITED)
        #if canImport(Glibc)
            status = info._sifields._sigchld.si_status
        #else
            status = info.si_status
        #endif
    }
}

/// A program that could not be started.
package struct ChildProcessError: LocalizedError, CustomStringConvertible {
    package let program: URL
    /// Where it should have begun; nil for this process's own folder.
    package let folder: URL?
    /// The system's error number.
    package let code: Int32

    package var description: String {
        let place = folder.map { " in \($0.path)" } ?? ""
        return "\(program.path) can't be started\(place): \(String(cString: strerror(code)))."
    }

    package var errorDescription: String? { description }
}

extension DispatchTimeInterval {
    /// The duration in whole milliseconds.
    package init(_ duration: Duration) {
        self = .milliseconds(Int(clamping: Int64((duration / .milliseconds(1)).rounded())))
    }
}
