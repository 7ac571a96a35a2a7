import BridgeBrowsers
import BridgeInput
import BridgeProcesses
import BridgeProtocol
import BridgeServer
import Foundation
import TrafficDatabase

/// What `bridged doctor --install` shows: what bridged uses of this machine, where it is, and what installs it.
enum Installation {
    /// One program or library.
    struct Part: JSONWritable {
        let name: String
        /// Its path, or another text that says what was found; nil if it is missing.
        let place: String?
        /// What a person can do if it is missing.
        var remedy = ""
        var isBrowser = false

        /// A line for people.
        var text: String {
            name.padding(toLength: 14, withPad: " ", startingAt: 0) + (place ?? "missing. \(remedy)")
        }

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("name", name)
                writer.member("found", ifPresent: place)
                if place == nil { writer.member("install", remedy) }
            }
        }
    }

    static var parts: [Part] { [system, executable] + libraries + [certificates] + browsers }

    private static var system: Part {
        var place = Distribution.current.name
        #if os(Linux)
            var version = [UInt8](repeating: 0, count: 64)
            let length = version.withUnsafeMutableBytes { bytes in
                confstr(
                    Int32(_CS_GNU_LIBC_VERSION), bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            place += ", \(String(decoding: version.prefix(max(0, length - 1)), as: UTF8.self))"
        #endif
        return Part(name: "system", place: place)
    }

    private static var executable: Part {
        let path = Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? CommandLine.arguments[0]
        return Part(name: "bridged", place: "\(path), version \(BridgeServer.version)")
    }

    /// The libraries that the process has loaded, with the files that they are in.
    private static var libraries: [Part] {
        // Requests load it when they need it.
        let curl = dlopen("libcurl.so.4", RTLD_LAZY)
        defer { if let curl { dlclose(curl) } }
        let versions = [
            "libwebsockets": LibraryVersions.libwebsockets, "libuv": LibraryVersions.libuv,
            "libjansson": JSON.libraryVersion,
            "libsqlite3": TrafficDatabase.libraryVersion,
        ]
        let names = [
            "libwebsockets", "libuv", "libjansson", "libhiredis", "libssl", "libsqlite3", "libedit", "libcurl",
        ]
        // `String(contentsOfFile:)` ends at the first short read, and each read of this file is one.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
        let maps = String(decoding: bytes ?? Data(), as: UTF8.self)
        let files = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map(line.suffix(from:)) }
        return names.map { name in
            let path = files.first { $0.contains("/\(name).so") }.map(String.init)
            let version = versions[name].map { ", version \($0)" } ?? ""
            let found = path ?? (name == "libcurl" ? nil : "in the executable")
            return Part(
                name: name, place: found.map { $0 + version },
                remedy: "Requests of the app need it: \(Distribution.current.command(for: .curl))")
        }
    }

    private static var certificates: Part {
        Part(
            name: "authorities", place: CertificateAuthorities.file,
            remedy: "Servers with https and rediss need them: the package ca-certificates.")
    }

    private static var browsers: [Part] {
        let engines = BrowserEngine.allCases.map { engine in
            Part(name: "\(engine)", place: engine.executable?.path, remedy: engine.remedy, isBrowser: true)
        }
        let xvfb = Executables.find(["Xvfb"])?.path
        let screen = "WebKit needs it without a display: \(Distribution.current.command(for: .xvfb))"
        return engines + [Part(name: "Xvfb", place: xvfb, remedy: screen)]
    }
}
