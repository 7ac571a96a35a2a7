import BridgeProcesses
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ChildProcessTests {
    private static let shell = URL(fileURLWithPath: "/bin/sh")

    /// Runs a script and returns what it writes, and how it ends.
    private func run(
        _ script: String, environment: [String: String]? = nil, folder: URL? = nil
    ) async throws -> (output: String, ending: ChildProcess.Ending) {
        let output = Pipe.withoutInheritance()
        let process = try ChildProcess(
            ChildProcessTests.shell, ["-c", script], environment: environment, folder: folder, output: .pipe(output),
            errors: .pipe(output))
        return try await offThread {
            let text = String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
            return (text.trimmingCharacters(in: .newlines), process.waitForEnd())
        }
    }

    @Test func getsArguments_environment_andFolder() async throws {
        let folder = try TemporaryFolder()
        let result = try await run(
            "pwd; echo \"$COLOUR$BRIDGED_NOTHING\"", environment: ["COLOUR": "blue = green"],
            folder: URL(fileURLWithPath: folder.path("")))
        let real = URL(fileURLWithPath: folder.path("")).resolvingSymlinksInPath().path
        #expect(result.output == "\(real)\nblue = green")
        #expect(result.ending.isSuccess)
    }

    @Test func tellsHowItEnds() async throws {
        let failed = try await run("exit 7").ending
        #expect(failed.status == 7 && failed.shellStatus == 7 && failed.text == "has ended with the status 7")
        let killed = try await run("kill -9 $$").ending
        #expect(killed.isSignal && killed.shellStatus == 137 && killed.text == "was ended by the signal 9")
    }

    @Test(arguments: [("/nowhere/program", "No such file or directory"), ("/etc/passwd", "Permission denied")])
    func refusesWhatIsNoProgram(path: String, reason: String) {
        let error = #expect(throws: ChildProcessError.self) { try ChildProcess(URL(fileURLWithPath: path)) }
        #expect(error?.localizedDescription == "\(path) can't be started: \(reason).")
    }

    /// The program that is missing is not the shell which would start it.
    @Test func namesTheFolder_ifItIsMissing() {
        let error = #expect(throws: ChildProcessError.self) {
            try ChildProcess(URL(fileURLWithPath: "/bin/echo"), folder: URL(fileURLWithPath: "/nowhere"))
        }
        #expect(error?.description == "/bin/echo can't be started in /nowhere: No such file or directory.")
    }

    @Test func readsDescriptor3_andWritesDescriptor4() async throws {
        let (input, output) = (Pipe.withoutInheritance(), Pipe.withoutInheritance())
        let process = try ChildProcess(
            ChildProcessTests.shell, ["-c", "cat <&3 >&4"], pipes: (input, output))
        input.fileHandleForWriting.write(Data("hello".utf8))
        try input.fileHandleForWriting.close()
        #expect(try await offThread { output.fileHandleForReading.readAll() } == Data("hello".utf8))
        #expect(try await offThread { process.waitForEnd().isSuccess })
    }

    /// As `python -u` prints a line in two parts.
    @Test func goesOn_ifNobodyReadsAllThatItWrites() async throws {
        let input = Pipe.withoutInheritance()
        func start() throws -> ChildProcess {
            try ChildProcess(
                ChildProcessTests.shell, ["-c", "read line; echo one; exit 4"], input: .pipe(input),
                output: .pipe(.withoutInheritance()))
        }
        let process = try start()
        try input.fileHandleForWriting.close()
        #expect(try await offThread { process.waitForEnd().status } == 4)
    }

    /// As long as a process of the group holds the pipe, it does not end.
    @Test func endsItsGroup_whenItHasEndedItself() async throws {
        let result = try await run("sleep 1000 & exit 0")
        #expect(result.output == "" && result.ending.isSuccess)
    }

    @Test(arguments: [("trap 'exit 5' TERM", 5), ("trap '' TERM", 9)])
    func asksForTheEnd_beforeItKills(trap: String, status: Int32) async throws {
        let output = Pipe.withoutInheritance()
        let process = try ChildProcess(
            ChildProcessTests.shell, ["-c", "\(trap); echo; while :; do sleep 0.1; done"], output: .pipe(output))
        let ending = try await offThread {
            _ = output.fileHandleForReading.readChunk()
            process.endInOrder()
            return process.waitForEnd()
        }
        #expect(ending.status == status && ending.isSignal == (status == 9))
    }

    @Test func callsWhoeverAsks_alsoAfterTheEnd() async throws {
        let process = try ChildProcess(ChildProcessTests.shell, ["-c", "exit 3"])
        for _ in 1...2 {
            let status = await withCheckedContinuation { continuation in
                process.whenEnded { continuation.resume(returning: $0.status) }
            }
            #expect(status == 3)
        }
        #expect(!process.isRunning)
        process.signal(SIGKILL)
        process.end()
    }

    #if os(Linux)
        /// As `swift build` does with each compiler. It is in another group, and holds the pipe as long as it runs.
        private static let inOtherGroup = "bash -c 'set -m; sleep 1000 & echo started';"

        @Test func endsWhatItHasPutIntoOtherGroups() async throws {
            #expect(try await run("\(Self.inOtherGroup) exit 0").output == "started")
            let output = Pipe.withoutInheritance()
            let process = try ChildProcess(
                Self.shell, ["-c", "\(Self.inOtherGroup) exec sleep 1000"], output: .pipe(output), errors: .null)
            try await offThread {
                _ = output.fileHandleForReading.readChunk()
                process.end()
                #expect(output.fileHandleForReading.readAll().isEmpty)
            }
        }

        /// As `swift test`, which waits for everything that has the output of its tests before it reaps them. The simulation
        /// starts `redis-server` with its own standard error.
        @Test func endsWithTheProcessThatStartedIt_evenIfNobodyReapsThat() async throws {
            let (output, errors) = (Pipe.withoutInheritance(), Pipe.withoutInheritance())
            let parent = try ChildProcess(
                Self.shell,
                [
                    "-c", "\"$1\" 1000 1 cluster & echo $!; exec sleep 1000 2>/dev/null >&2", "sh",
                    Executable.beside("Simulation").path,
                ],
                output: .pipe(output), errors: .pipe(errors))
            let lines = try await offThread {
                var text = ""
                while !text.contains("Simulating") {
                    let chunk = output.fileHandleForReading.readChunk()
                    guard !chunk.isEmpty else { break }
                    text += String(decoding: chunk, as: UTF8.self)
                }
                return text.split(separator: "\n")
            }
            kill(try #require(lines.first.flatMap { pid_t($0) }), SIGKILL)
            #expect(try await offThread { errors.fileHandleForReading.readAll() }.isEmpty)
            #expect(parent.isRunning)
            parent.end()
        }

        @Test func inheritsNoOtherDescriptors() async throws {
            let files = try (1...50).map { _ in try #require(FileHandle(forReadingAtPath: "/dev/null")) }
            for file in files { #expect(fcntl(file.fileDescriptor, F_SETFD, 0) == 0) }
            // The last one is that of the folder which ls lists.
            #expect(try await run("exec ls /proc/self/fd").output == "0\n1\n2\n3")
            withExtendedLifetime(files) {}
        }

        /// The thread that starts it has blocked one signal, and this process ignores another.
        @Test func inheritsNoSignals() async throws {
            let lines = try await offThread {
                var (blocked, before) = (sigset_t(), sigset_t())
                sigemptyset(&blocked)
                sigaddset(&blocked, SIGTERM)
                pthread_sigmask(SIG_BLOCK, &blocked, &before)
                defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
                let output = Pipe.withoutInheritance()
                _ = try? ChildProcess(
                    URL(fileURLWithPath: "/bin/grep"), ["-E", "^Sig(Blk|Ign)", "/proc/self/status"],
                    output: .pipe(output), endsWithThisProcess: false)
                return String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
            }.split(separator: "\n").map { $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } }
            // glibc keeps the signals 32 and 33 for itself, and lets programs start with one or both of them ignored.
            #expect(lines.map { $0.map { $0 & ~0x1_8000_0000 } } == [0, 0])
        }

        /// Foundation's `Process` fails here now and then, with "Bad file descriptor" or a crash.
        @Test func starts_whileOtherThreadsOpenAndCloseFiles() async throws {
            let isOver = Flag()
            async let opening: Void = offThread {
                while !isOver.isSet.load(ordering: .relaxed) {
                    let files = (1...200).map { _ in open("/dev/null", O_RDONLY) }
                    for file in files { close(file) }
                }
            }
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 0..<100 {
                    group.addTask { try await self.run("exit \(number)").ending.status - Int32(number) }
                }
                for try await difference in group { #expect(difference == 0) }
            }
            isOver.isSet.store(true, ordering: .relaxed)
            try await opening
        }
    #endif
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}
