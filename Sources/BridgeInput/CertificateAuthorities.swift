import Foundation

/// The file of the certificate authorities that this system trusts. Each library has a distribution's place for it compiled in,
/// which others do not have.
package enum CertificateAuthorities {
    /// What `SSL_CERT_FILE` names, or the system's, or that beside the executable, as in a folder that was unpacked anywhere.
    /// It is looked up once: every request asks.
    package static let file: String? = {
        let named = ProcessInfo.processInfo.environment["SSL_CERT_FILE"]
        return ([named] + places + [own]).compactMap(\.self).first { FileManager.default.isReadableFile(atPath: $0) }
    }()

    /// Debian, Fedora, SUSE, Alpine and macOS.
    private static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    private static var own: String? {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        return folder?.deletingLastPathComponent().appendingPathComponent("share/bridged/ca-certificates.crt").path
    }

    /// Names the file to OpenSSL, if this program brings its own, and the place that is compiled into that is not there.
    package static func nameToOpenSSL() {
        guard getenv("SSL_CERT_FILE") == nil, getenv("SSL_CERT_DIR") == nil else { return }
        let files = FileManager.default
        let isThere = ["/usr/lib/ssl/cert.pem", "/usr/lib/ssl/certs"].contains { files.isReadableFile(atPath: $0) }
        guard !isThere, let own, files.isReadableFile(atPath: own), let file else { return }
        setenv("SSL_CERT_FILE", file, 0)
    }
}
