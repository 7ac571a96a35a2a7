package import Foundation

extension Pipe {
    /// Makes a pipe that only the process inherits to which it is given.
    ///
    /// Foundation's `Process` closes the descriptors that are open when it begins to start a child. The child inherits
    /// one that another thread opens at that moment, and as long as it holds the writing end, the reader waits.
    package static func withoutInheritance() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
