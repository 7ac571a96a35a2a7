import BridgeProtocol
import Foundation

/// The preferences of a Firefox without a user: no questions, updates, telemetry, nor hidden page loads that make
/// pictures for the new tab. Pages may open windows, and timers in the background are not slowed down.
struct FirefoxPreferences {
    private var values: [(name: String, value: JSONValue)] = [
        ("app.update.enabled", .bool(false)),
        ("browser.aboutwelcome.enabled", .bool(false)),
        ("browser.shell.checkDefaultBrowser", .bool(false)),
        ("browser.pagethumbnails.capturing_disabled", .bool(true)),
        ("datareporting.policy.dataSubmissionEnabled", .bool(false)),
        ("datareporting.policy.dataSubmissionPolicyBypassNotification", .bool(true)),
        ("toolkit.telemetry.reportingpolicy.firstRun", .bool(false)),
        ("browser.sessionstore.resume_from_crash", .bool(false)),
        ("network.captive-portal-service.enabled", .bool(false)),
        ("network.connectivity-service.enabled", .bool(false)),
        ("dom.disable_open_during_load", .bool(false)),
        ("dom.popup_maximum", .number(-1)),
        ("dom.allow_scripts_to_close_windows", .bool(true)),
        ("dom.min_background_timeout_value", .number(4)),
    ]

    init(_ options: LaunchOptions, isDriven: Bool) {
        self["network.dns.localDomains"] = .string(options.localNames.joined(separator: ","))
        self["general.useragent.override"] = options.userAgent.map { .string($0) }
        if isDriven { setForDriver(options) }
    }

    private mutating func setForDriver(_ options: LaunchOptions) {
        self["browser.startup.page"] = .number(0)
        self["browser.tabs.warnOnClose"] = .bool(false)
        // A hidden page, made for the next tab.
        self["browser.newtab.preload"] = .bool(false)
        // Without a question, as in a web view, a form is sent again when its result is loaded again.
        self["dom.confirm_repost.testing.always_accept"] = .bool(true)
        // An address of http stays one.
        self["dom.security.https_first"] = .bool(false)
        // A page that comes back from this cache would go on with a connection that has ended.
        self["browser.sessionhistory.max_total_viewers"] = .number(0)
        if options.isHeadless {
            // Native code decides. The camera shows a test picture.
            self["media.navigator.permission.disabled"] = .bool(true)
            self["media.navigator.streams.fake"] = .bool(true)
        }
        guard options.device != nil else { return }
        self["dom.w3c_touch_events.enabled"] = .number(1)
        self["dom.maxtouchpoints.testing.value"] = .number(5)
        self["dom.meta-viewport.enabled"] = .bool(true)
        // 1 is light.
        self["layout.css.prefers-color-scheme.content-override"] = .number(1)
    }

    private subscript(name: String) -> JSONValue? {
        get { values.last { $0.name == name }?.value }
        set { if let newValue { values.append((name, newValue)) } }
    }

    /// Writes the file `user.js` of a profile. JSON is also JavaScript, which the file contains.
    func write(to profile: URL) throws {
        let lines = values.map { "user_pref(\(JSONValue.string($0.name).text), \($0.value.text));\n" }
        try Data(lines.joined().utf8).write(to: profile.appendingPathComponent("user.js"))
    }
}
