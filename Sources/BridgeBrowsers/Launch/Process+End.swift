package import Foundation

extension Process {
    /// Makes the process end within a second of this one, even if this one crashes. Call it before `run`.
    ///
    /// A shell in the background checks whether this process is alive. `PR_SET_PDEATHSIG` is no alternative: Linux
    /// sends that signal when the *thread* that has started the process ends.
    package func endWithParent() {
        guard let executable = executableURL else { return }
        let watch = "(while kill -0 $PPID && kill -0 $$; do sleep 1; done; kill -KILL -$$) </dev/null >/dev/null 2>&1 &"
        executableURL = URL(fileURLWithPath: "/bin/sh")
        arguments = ["-c", "\(watch) exec \"$@\"", "sh", executable.path] + (arguments ?? [])
    }

    /// Calls `body` on a thread of its own when the process has ended. Call it after `run`.
    ///
    /// `terminationHandler` waits for all processes that inherited a socket of Foundation, so also for the shell of
    /// ``endWithParent()``.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let id = id_t(processIdentifier)
        Thread.detachNewThread {
            Process.waitForEnd(of: id)
            body()
        }
    }

    /// Foundation reaps the child: WNOWAIT leaves it to be reaped, and ECHILD means that it already was.
    private static func waitForEnd(of id: id_t) {
        var info = siginfo_t()
        while waitid(P_PID, id, &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
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
        Process.waitForEnd(of: id_t(processIdentifier))
    }
}
