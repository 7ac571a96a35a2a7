package import Foundation

extension Pipe {
    /// Makes a pipe that only the process inherits to which it is given.
    ///
    /// A program that uses our libraries may start processes in another way than ``ChildProcess``. As long as one of
    /// them holds the writing end, the reader waits.
    package static func withoutInheritance() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
