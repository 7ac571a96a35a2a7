package import Foundation

extension Process {
    /// Makes the process end within a second of this one, even if this one crashes. Call it before `run`.
    ///
    /// A shell in the background checks whether this process is alive. `PR_SET_PDEATHSIG` is no alternative: Linux
    /// sends that signal when the *thread* that has started the process ends.
    /// - Parameter folder: is deleted then, after the other processes of the group have had a second to end.
    package func endWithParent(deleting folder: URL? = nil) {
        guard let executable = executableURL else { return }
        // The shell is in the group itself, so it ends with the last command.
        let delete = folder == nil ? "" : "trap '' TERM; kill -KILL $$; kill -TERM -$$; sleep 1; rm -rf \"$folder\"; "
        let watch = "while kill -0 $PPID && kill -0 $$; do sleep 1; done; \(delete)kill -KILL -$$"
        executableURL = URL(fileURLWithPath: "/bin/sh")
        arguments =
            [
                "-c", "folder=$1; shift; (\(watch)) </dev/null >/dev/null 2>&1 & exec \"$@\"", "sh", folder?.path ?? "",
                executable.path,
            ] + (arguments ?? [])
    }

    /// Calls `body` on a thread of its own when the process has ended. Call it after `run`.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) { whenEnded { (_: String) in body() } }

    /// Calls `body` on a thread of its own when the process has ended, with how it has, as the end of a sentence. Call it
    /// after `run`.
    ///
    /// `terminationHandler` waits for all processes that inherited a socket of Foundation, so also for the shell of
    /// ``endWithParent()``, which waits until Foundation has reaped the process.
    package func whenEnded(_ body: @escaping @Sendable (_ ending: String) -> Void) {
        let id = id_t(processIdentifier)
        Thread.detachNewThread { body(Process.waitForEnd(of: id)?.text ?? "has ended") }
    }

    private struct End {
        /// The number that the process has ended with, or that of the signal that ended it.
        let status: Int32
        let isSignal: Bool

        var text: String { isSignal ? "was ended by the signal \(status)" : "has ended with the status \(status)" }
    }

    /// Waits until the process has ended.
    /// - Returns: the number that it has ended with, or that of the signal that ended it.
    package func waitForStatus() -> Int32 {
        Process.waitForEnd(of: id_t(processIdentifier))?.status ?? terminationStatus
    }

    /// - Returns: nil if Foundation has reaped the child, because this leaves it to be reaped.
    private static func waitForEnd(of id: id_t) -> End? {
        var info = siginfo_t()
        while waitid(P_PID, id, &info, WEXITED | WNOWAIT) == -1 {
            guard errno == EINTR else { return nil }
        }
        let isSignal = Int(info.si_code) != Int(CLD_EXITED)
        #if canImport(Glibc)
            return End(status: info._sifields._sigchld.si_status, isSignal: isSignal)
        #else
            return End(status: info.si_status, isSignal: isSignal)
        #endif
    }

    /// Kills the process and its group, which Foundation makes for each child, and waits until it has ended. Does
    /// nothing if it is not running.
    ///
    /// It sends SIGKILL, because a child inherits the blocked signals of the thread that starts it: a SIGTERM may never
    /// arrive. It does not call `waitUntilExit`, which waits for every process that inherited a certain socket of
    /// Foundation: children that the process moved to other groups, such as a browser's crash reporter, and processes
    /// that another thread started at the same moment, which may themselves wait for this one.
    package func end() {
        guard isRunning else { return }
        kill(-processIdentifier, SIGKILL)
        _ = Process.waitForEnd(of: id_t(processIdentifier))
    }
}
