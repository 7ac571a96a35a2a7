import Foundation

/// How programs are installed on this system.
package struct Distribution: Sendable {
    /// As `/etc/os-release` calls it, such as `Debian GNU/Linux 12 (bookworm)`.
    package let name: String
    /// The distribution, and those that it is like: `ubuntu`, `debian`.
    let families: [String]

    package static let current: Distribution = {
        #if os(macOS)
            return Distribution(osRelease: "PRETTY_NAME=macOS\nID=macos")
        #else
            return Distribution(osRelease: (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? "")
        #endif
    }()

    /// - Parameter text: the contents of a file as os-release(5) describes it.
    package init(osRelease text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1].trimmingCharacters(in: ["\"", "'"]) }
        }
        name = values["PRETTY_NAME"] ?? "an unknown system"
        families = "\(values["ID"] ?? "") \(values["ID_LIKE"] ?? "")".split(separator: " ").map(String.init)
    }

    /// A program or library that bridged uses and does without.
    package enum Part: Sendable { case chromium, firefox, xvfb, curl }

    /// What installs it.
    package func command(for part: Part) -> String {
        switch families.first(where: { ["ubuntu", "debian", "fedora", "rhel", "arch", "suse", "macos"].contains($0) }) {
        // Ubuntu's packages of browsers are snaps, which cannot be driven in a container.
        case "ubuntu":
            return "apt-get install "
                + packageName(
                    part,
                    chromium: "./google-chrome-stable_current_amd64.deb, which https://www.google.com/chrome/ has",
                    firefox: "firefox, from https://packages.mozilla.org")
        case "fedora", "rhel":
            return "dnf install \(packageName(part, firefox: "firefox", xvfb: "xorg-x11-server-Xvfb", curl: "libcurl"))"
        case "arch": return "pacman -S \(packageName(part, firefox: "firefox", xvfb: "xorg-server-xvfb", curl: "curl"))"
        case "suse":
            return "zypper install \(packageName(part, firefox: "MozillaFirefox", xvfb: "xorg-x11-server-Xvfb"))"
        case "macos": return "brew install --cask \(packageName(part, firefox: "firefox"))"
        default: return "apt-get install \(packageName(part))"
        }
    }

    private func packageName(
        _ part: Part, chromium: String = "chromium", firefox: String = "firefox-esr", xvfb: String = "xvfb",
        curl: String = "libcurl4"
    ) -> String {
        switch part {
        case .chromium: chromium
        case .firefox: firefox
        case .xvfb: xvfb
        case .curl: curl
        }
    }
}
