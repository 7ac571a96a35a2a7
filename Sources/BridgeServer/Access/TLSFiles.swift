import Foundation

/// The two PEM files with which a server proves its identity over TLS (RFC 8446).
public struct TLSFiles: Sendable, Equatable {
    /// The path of the certificate, which may be followed by the intermediate certificates up to its root.
    public let certificate: String
    /// The path of its private key, which must have no password.
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Checks the files, because libwebsockets does not say what is wrong with them.
    ///
    /// - Throws: `ConfigurationError` if a file cannot be read, is not a PEM file, or has a password.
    func check() throws(ConfigurationError) {
        let certificateText = try read(certificate, "certificate")
        let keyText = try read(key, "key")
        guard certificateText.contains("-----BEGIN CERTIFICATE-----") else {
            throw ConfigurationError(
                description: "\(certificate) is not a certificate: a PEM file has a line -----BEGIN CERTIFICATE-----.")
        }
        guard keyText.contains("PRIVATE KEY-----") else {
            throw ConfigurationError(
                description: "\(key) is not a private key: a PEM file has a line -----BEGIN PRIVATE KEY-----.")
        }
        guard !keyText.contains("ENCRYPTED") else {
            throw ConfigurationError(
                description: "The key \(key) has a password. Write one without: openssl pkey -in \(key) -out plain.pem")
        }
    }

    private func read(_ path: String, _ what: String) throws(ConfigurationError) -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                description: "The \(what) \(path) cannot be read: it does not exist, or this user may not read it.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
