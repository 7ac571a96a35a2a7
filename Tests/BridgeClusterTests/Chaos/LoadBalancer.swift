import BridgeProcesses
import Foundation
import TestSupport

/// An nginx in front of daemons. It gives each connection the next daemon, and leaves out those that do not answer.
final class LoadBalancer: Sendable {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    init(_ ports: [UInt16]) async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        // Released at once, so that nginx can have it.
        let port = try ListeningSocket().port
        self.port = port
        let servers = ports.map { "server 127.0.0.1:\($0) max_fails=1 fail_timeout=1s;" }.joined(separator: " ")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path($0));"
        }.joined(separator: " ")
        let text = """
            daemon off;
            worker_processes 1;
            \(geteuid() == 0 ? "user root;" : "")
            pid \(folder.path("nginx.pid"));
            error_log stderr crit;
            events { worker_connections 1024; }
            http {
                \(temporary)
                access_log off;
                upstream bridged { \(servers) }
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        proxy_pass http://bridged;
                        proxy_http_version 1.1;
                        proxy_set_header Host $http_host;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection upgrade;
                        proxy_connect_timeout 1s;
                        proxy_read_timeout 1d;
                    }
                }
            }
            """
        let configuration = folder.path("nginx.conf")
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/sbin/nginx"), ["-c", configuration, "-e", "stderr"], errors: .standardError)
        while (try? await HTTPClient.request(path: "/health", port: port)) == nil, process.isRunning {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    deinit {
        process.signal(SIGTERM)
        process.waitForEnd()
    }
}
