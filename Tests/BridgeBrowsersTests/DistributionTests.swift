import BridgeBrowsers
import Testing

/// The commands that install what is missing.
struct DistributionTests {
    @Test(arguments: [
        ("ID=debian", "apt-get install firefox-esr"),
        ("ID=ubuntu\nID_LIKE=debian", "apt-get install firefox, from https://packages.mozilla.org"),
        ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"", "apt-get install firefox, from https://packages.mozilla.org"),
        ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", "dnf install firefox"),
        ("ID=arch", "pacman -S firefox"),
        ("ID=opensuse-leap\nID_LIKE='suse opensuse'", "zypper install MozillaFirefox"),
        ("", "apt-get install firefox-esr"),
    ])
    func namesTheCommandOfTheSystem(_ text: String, _ command: String) {
        #expect(Distribution(osRelease: text).command(for: .firefox) == command)
    }
}
