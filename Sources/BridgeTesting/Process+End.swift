package import Foundation

extension Process {
    /// Kills the process and its group, which Foundation makes for each child, and waits until it has ended. Does nothing
    /// if it is not running.
    ///
    /// It sends SIGKILL, because a child inherits the blocked signals of the thread that starts it: a SIGTERM may never
    /// arrive. It does not call `waitUntilExit`, which waits for every process that inherited a certain socket of
    /// Foundation: children that the process moved to other groups, such as a browser's crash reporter, and processes
    /// that another thread started at the same moment, which may themselves wait for this one.
    package func end() {
        guard isRunning else { return }
        kill(-processIdentifier, SIGKILL)
        var info = siginfo_t()
        // Foundation reaps the child: WNOWAIT leaves it to be reaped, and ECHILD means that it already was.
        while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }
}
