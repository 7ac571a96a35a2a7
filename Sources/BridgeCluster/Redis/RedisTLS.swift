internal import COpenSSL
import Foundation

/// TLS on a socket that does not block, by OpenSSL: Debian's hiredis has none.
///
/// It checks that an authority that is trusted has signed the server's certificate, for the host of the address.
final class RedisTLS {
    private let context: OpaquePointer
    private let session: OpaquePointer
    /// Whether the latest attempt has to wait until the socket can be written.
    private(set) var wantsToWrite = false
    /// Whether the server has sent anything after the handshake.
    private var hasRead = false

    /// - Throws: ``RedisAddress/Mistake`` if a certificate or key cannot be used.
    init(_ settings: RedisAddress.TLS, on descriptor: Int32) throws(RedisAddress.Mistake) {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw RedisAddress.Mistake(description: "there is no memory for TLS")
        }
        do throws(RedisAddress.Mistake) {
            try RedisTLS.load(settings, into: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        guard let session = SSL_new(context) else {
            SSL_CTX_free(context)
            throw RedisAddress.Mistake(description: "there is no memory for TLS")
        }
        (self.context, self.session) = (context, session)
        // The session does not close the descriptor.
        SSL_set_fd(session, descriptor)
        expect(settings.host)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
    }

    private static func load(_ settings: RedisAddress.TLS, into context: OpaquePointer) throws(RedisAddress.Mistake) {
        try check(settings.authority, "ca")
        try check(settings.certificate, "cert")
        try check(settings.key, "key")
        // RFC 8996 forbids TLS 1.0 and 1.1. These are what macros of OpenSSL do.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_ctrl(
            context, SSL_CTRL_MODE, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let trusts =
            settings.authority.map { SSL_CTX_load_verify_locations(context, $0, nil) }
            ?? SSL_CTX_set_default_verify_paths(context)
        guard trusts == 1 else { throw unusable(settings.authority ?? "the system's authorities", "ca") }
        if let file = settings.certificate, SSL_CTX_use_certificate_chain_file(context, file) != 1 {
            throw unusable(file, "cert")
        }
        if let file = settings.key, SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1 {
            throw unusable(file, "key")
        }
    }

    private static func check(_ file: String?, _ name: String) throws(RedisAddress.Mistake) {
        guard let file, !FileManager.default.isReadableFile(atPath: file) else { return }
        throw RedisAddress.Mistake(description: "\(file), which \(name)= in --cluster names, cannot be read")
    }

    private static func unusable(_ file: String, _ name: String) -> RedisAddress.Mistake {
        let reason = errors() ?? "unknown error"
        return RedisAddress.Mistake(
            description: "\(file), which \(name)= in --cluster names, is no PEM file that can be used (\(reason))")
    }

    /// Makes OpenSSL compare the certificate with the host, and tells the server which host is meant.
    private func expect(_ host: String) {
        guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) != 1 else { return }
        SSL_set1_host(session, host)
        // What the macro SSL_set_tlsext_host_name does. OpenSSL copies the name.
        host.withCString { name in
            _ = SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: name))
        }
    }

    var hasPending: Bool { SSL_pending(session) > 0 }

    /// - Returns: `bytes` when the handshake is over.
    func shakeHands() -> RedisStream.Transfer { attempt { SSL_connect(session) == 1 ? 0 : -1 } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> RedisStream.Transfer {
        attempt {
            let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
            hasRead = hasRead || count > 0
            return count > 0 ? count : -1
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> RedisStream.Transfer {
        attempt {
            let count = SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count))
            return count > 0 ? count : -1
        }
    }

    func close() {
        ERR_clear_error()
        SSL_shutdown(session)
    }

    /// - Parameter action: returns a number of bytes, or -1 if OpenSSL has to be asked what is wrong.
    private func attempt(_ action: () -> Int32) -> RedisStream.Transfer {
        ERR_clear_error()
        errno = 0
        let count = action()
        let systemError = errno
        wantsToWrite = false
        guard count < 0 else { return .bytes(Int(count)) }
        switch SSL_get_error(session, count) {
        case SSL_ERROR_WANT_READ: return .wait
        case SSL_ERROR_WANT_WRITE:
            wantsToWrite = true
            return .wait
        case SSL_ERROR_ZERO_RETURN: return ended("it has closed the connection")
        case SSL_ERROR_SYSCALL where systemError != 0: return ended(String(cString: strerror(systemError)))
        case SSL_ERROR_SYSCALL: return ended("it has closed the connection without a word")
        default: return .ended(failure)
        }
    }

    /// With TLS 1.3 a client's handshake ends before the server has looked at its certificate, and a server that demands one
    /// may be gone before its alert is read.
    private func ended(_ reason: String) -> RedisStream.Transfer {
        .ended(SSL_is_init_finished(session) == 1 && !hasRead ? "\(reason), after the handshake of TLS" : reason)
    }

    private var failure: String {
        let result = SSL_get_verify_result(session)
        let reason = RedisTLS.errors() ?? "unknown error"
        guard result != Int(X509_V_OK), let text = X509_verify_cert_error_string(result) else {
            return "TLS failed: \(reason)"
        }
        return "its certificate is not accepted: \(String(cString: text))"
    }

    /// What OpenSSL says about the latest error.
    private static func errors() -> String? {
        let code = ERR_get_error()
        defer { ERR_clear_error() }
        return ERR_reason_error_string(code).map { String(cString: $0) }
    }
}
