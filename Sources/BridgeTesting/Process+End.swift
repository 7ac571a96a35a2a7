package import Foundation

extension Process {
    /// Kills it, with the group that Foundation starts each child in, and waits until it is gone. Does nothing where it is.
    ///
    /// By SIGKILL, because a child inherits the blocked signals of the thread that starts it, so that a polite SIGTERM
    /// may never arrive. Without `waitUntilExit`, which waits for everybody who inherited a socket of Foundation's: what
    /// the child left in groups of its own, as browsers do with crash reporters, and what another thread started at that
    /// very moment, which may itself wait for ours.
    package func end() {
        guard isRunning else { return }
        kill(-processIdentifier, SIGKILL)
        var info = siginfo_t()
        // Foundation collects the child (WNOWAIT leaves it), and may have done so before (ECHILD).
        while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }
}
