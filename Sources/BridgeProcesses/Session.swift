import Foundation

/// The processes of a session, which have it from the process that began it unless they begin one of their own.
struct Session {
    private let id: Int32

    /// - Parameter id: the number of the process that began it.
    init(_ id: Int32) { self.id = id }

    /// Kills its processes. The one that began it must not be reaped yet: until then its number is no other's.
    func kill() {
        // All of the first group at once; and then those that are in other groups, which may start others meanwhile.
        Foundation.kill(-id, SIGKILL)
        for _ in 0..<Session.rounds {
            let others = members
            guard !others.isEmpty else { return }
            for process in others { Foundation.kill(process, SIGKILL) }
        }
    }

    /// How often to look for processes that were started meanwhile.
    private static let rounds = 20

    /// Its processes, without those that have ended. Empty on a Mac, which has no `/proc`.
    private var members: [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { process in
            guard process != id, let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                // The program's name is in parentheses, and may have some itself (proc_pid_stat(5)).
                let end = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[end...].split(separator: " ")
            return fields.count > 4 && Int32(fields[4]) == id && !["Z", "X"].contains(fields[1])
        }
    }

    /// What a shell in the session does to kill its processes in other groups than its own, which `kill -KILL -$$` ends.
    ///
    /// `read` is a part of the shell, so no process is started for each file.
    static let script = """
        for round in 1 2 3; do for file in /proc/[0-9]*/stat; do read -r stat <$file || continue; \
        set -- ${stat%% *} ${stat##*) }; [ "$5" = $$ ] && [ "$4" != $$ ] && kill -KILL $1; done; done; 
        """
}
