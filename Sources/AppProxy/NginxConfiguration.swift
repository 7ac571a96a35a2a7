import Foundation

/// The configuration of an nginx that serves an app with `bridge.js` in each document.
///
/// Paths under `/__bridged__/` lead to the daemon, so that the script and its socket have the app's own origin.
struct NginxConfiguration {
    let settings: ProxySettings
    /// The folder for nginx's files.
    let folder: String
    let port: UInt16

    /// The prefix of the paths that lead to the daemon.
    static let prefix = "/__bridged__"

    var text: String {
        """
        daemon off;
        worker_processes 1;
        \(geteuid() == 0 ? "user root;" : "")
        pid \(quoted(folder + "/nginx.pid"));
        error_log stderr warn;
        events { worker_connections 1024; }
        http {
            \(files)
            access_log off;
            log_format notes escape=json '{"url":"$request_uri","encoding":"$upstream_http_content_encoding",'
                '"type":"$sent_http_content_type","policy":"$upstream_http_content_security_policy","sent":"$policy"}';
            client_max_body_size 0;
            server_tokens off;
            geo $dollar { default "$"; }
            map $http_upgrade $upgrade_connection { default upgrade; "" ""; }
            \(ContentSecurityPolicy.maps)
            \(originMaps)
            \(tagMap)
            upstream app { server \(settings.app.host):\(settings.app.port) max_fails=0; }
            server {
                \(listen)
                server_name _;
                proxy_http_version 1.1;
                proxy_read_timeout 1d;
                proxy_send_timeout 1d;
                \(daemon)
                \(location)
            }
        }

        """
    }

    private var files: String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(quoted("\(folder)/\($0)"));" }
            .joined(separator: "\n    ")
    }

    private var listen: String {
        settings.addresses.map { "listen \($0.contains(":") ? "[\($0)]" : $0):\(port);" }.joined(
            separator: "\n        ")
    }

    /// For WebSockets. A place that sets header fields inherits none, so that each of them needs these.
    private let upgrade = "proxy_set_header Connection $upgrade_connection; proxy_set_header Upgrade $http_upgrade;"

    // MARK: The daemon

    /// Only what pages need: the control channel cannot be reached through the proxy.
    private var daemon: String {
        ["bridge.js", "page", "beacon"].map { name in
            """
            location = \(NginxConfiguration.prefix)/\(name) {
                \(upgrade)
                proxy_set_header Host 127.0.0.1:\(settings.daemonPort);
                proxy_pass http://127.0.0.1:\(settings.daemonPort)/\(name)$is_args$args;
            }
            """
        }.joined(separator: "\n")
    }

    // MARK: The app

    /// The tag is put before `<html`, or after the doctype: the parser makes the head for it, and takes the attributes of
    /// the `<html>` that follows. If a document has both, the second tag does nothing.
    private var location: String {
        """
        location / {
            proxy_pass \(settings.app.scheme)://app;
            proxy_buffering off;
            proxy_request_buffering off;
            \(upgrade)
            \(headers)
            proxy_set_header Accept-Encoding "";
            proxy_set_header User-Agent \(userAgent);
            proxy_hide_header Content-Security-Policy;
            add_header Content-Security-Policy $policy always;
            sub_filter_once on;
            sub_filter '<!doctype html>' '<!doctype html>$tag';
            sub_filter '<html' '$tag<html';
            access_log syslog:server=unix:\(folder)/notes,nohostname,tag=bridged notes if=$is_noted;
            error_page 502 504 = @down;
        }
        location @down {
            default_type text/plain;
            return 502 "bridged: \(settings.app.origin) does not answer. Start the app, or give bridged its address: --app URL\\n";
        }
        """
    }

    /// The tag, and nothing for a compressed document: bytes of one can look like `<html`. nginx tries no pattern on an
    /// empty text.
    private var tagMap: String {
        """
        map $upstream_http_content_encoding $tag {
                default "";
                "" '\(script)';
                identity '\(script)';
            }
        """
    }

    private var script: String {
        "<script src=\"\(NginxConfiguration.prefix)/bridge.js\(token)\" nonce=\"$nonce\" referrerpolicy=\"origin\" "
            + "data-proxy></script>"
    }

    private var token: String { settings.pageToken.map { "?token=\($0)" } ?? "" }

    private var userAgent: String { quoted("$http_user_agent", then: settings.userAgentSuffix.map { " \($0)" } ?? "") }

    /// An app on this machine gets the address that the browser shows, so that its redirects, cookies, links and checks of
    /// the origin are right by themselves. Another server may know only its own name, so that it gets that.
    private var headers: String {
        guard settings.app.scheme == "https" || !settings.app.isLoopback else {
            return "proxy_set_header Host $http_host;"
        }
        return """
            proxy_set_header Host \(settings.app.authority);
            proxy_set_header Origin $app_origin;
            proxy_set_header Referer $app_referer;
            proxy_redirect https://\(settings.app.authority)/ /;
            proxy_redirect http://\(settings.app.authority)/ /;
            proxy_cookie_domain \(settings.app.host) $host;
            \(settings.isLoopback ? "" : "proxy_cookie_flags ~ nosecure samesite=lax;")
            \(tls)
            """
    }

    private var tls: String {
        guard settings.app.scheme == "https" else { return "" }
        let verification =
            settings.app.isLoopback
            ? "proxy_ssl_verify off;"
            : "proxy_ssl_verify on; proxy_ssl_verify_depth 5; proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;"
        return "proxy_ssl_server_name on; proxy_ssl_name \(settings.app.host); \(verification)"
    }

    /// The browser's `Origin` and `Referer` as the app's own.
    private var originMaps: String {
        """
        map "$http_origin $http_host" $app_origin {
                default $http_origin;
                "~^http://(?<own>[^ ]+) \\k<own>$" "\(settings.app.origin)";
            }
            map $http_referer $app_referer {
                default $http_referer;
                "~^http://[^/]+(?<rest>/.*)$" "\(settings.app.origin)$rest";
            }
        """
    }

    /// A text as a string of nginx's configuration, in which nothing is a variable but `variable`.
    private func quoted(_ variable: String = "", then text: String) -> String {
        let escaped = text.map { character -> String in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "$": "${dollar}"
            case let other where other.isNewline: " "
            default: String(character)
            }
        }
        return "\"\(variable)\(escaped.joined())\""
    }

    private func quoted(_ text: String) -> String { quoted(then: text) }
}
