"""A server that answers as it is told, not as bridged does: `false_daemon.py BEHAVIOUR` prints its port, and serves until its
standard input ends. What is not the name of a behaviour is the body of each answer."""
import base64, hashlib, os, socket, sys, threading, time

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LINES = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
DEEP = 100_000


def repeat(connection, piece, pause=0.0):
    """Sends a piece again and again, until the client leaves."""
    while True:
        connection.sendall(piece)
        time.sleep(pause)


def answer(status, body):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def upgrade(request):
    key = next(line.split(b": ")[1] for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    return (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + accept + b"\r\n\r\n")


def web_socket(first, piece):
    """Opens a WebSocket, sends the beginning of a frame, and then a piece again and again."""
    def serve(connection, request):
        connection.sendall(upgrade(request) + first)
        repeat(connection, piece)
    return serve


def read_on(connection, _):
    """Says nothing until the client leaves. The body of its request may come later than the header."""
    while connection.recv(1 << 16):
        pass


BEHAVIOURS = {
    "silent": read_on,
    "endless": lambda connection, _: (connection.sendall(HEAD + b"\r\n["), repeat(connection, b" " * (1 << 20))),
    "endlessLine": lambda connection, _: (connection.sendall(LINES + b"\r\n"), repeat(connection, b"x" * (1 << 20))),
    "drip": lambda connection, _: (connection.sendall(HEAD + b"\r\n"), repeat(connection, b" ", 0.05)),
    "dripHeader": lambda connection, _: (connection.sendall(HEAD + b"X: "), repeat(connection, b"x", 0.05)),
    "hugeHeader": lambda connection, _: (connection.sendall(HEAD + b"X: "), repeat(connection, b"x" * (1 << 20))),
    "manyHeaders": lambda connection, _: (connection.sendall(HEAD), repeat(connection, b"X: y\r\n" * (1 << 18))),
    "zipped": lambda connection, _: (
        connection.sendall(HEAD + b"Content-Encoding: gzip\r\n\r\n"), connection.sendall(b"\x1f\x8b")),
    "cut": lambda connection, _: connection.sendall(HEAD + b'Content-Length: 1000\r\n\r\n{"jsonrpc"'),
    "errorPage": lambda connection, _: connection.sendall(answer("502 Bad Gateway", "<h1>Bad Gateway</h1>" + " " * 10_000)),
    "nested": lambda connection, _: connection.sendall(answer(
        "200 OK", '{"jsonrpc":"2.0","id":1,"result":' + "[" * DEEP + "]" * DEEP + "}")),
    "noHTTP": lambda connection, _: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" * 10),
    "frameOfATebibyte": web_socket(b"\x81\x7f" + (1 << 40).to_bytes(8, "big"), b" " * (1 << 20)),
    "endlessFragments": web_socket(b"\x01\x01 ", (b"\x00\x7f" + (1 << 20).to_bytes(8, "big") + b" " * (1 << 20))),
    "endlessPings": web_socket(b"", b"\x89\x00" * (1 << 10)),
    "binaryFrames": web_socket(b"", b"\x82\x02\xff\xfe"),
}


def serve(connection, behaviour):
    with connection:
        try:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(1 << 16)
                if not piece:
                    return
                request += piece
            told = BEHAVIOURS.get(behaviour)
            told(connection, request) if told else connection.sendall(answer("200 OK", behaviour))
            # The client's bytes are read, because a connection that is closed with unread bytes is reset.
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(1)
            while connection.recv(1 << 16):
                pass
        except OSError:
            pass  # The client has left.


def accept(listener, behaviour):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], behaviour), daemon=True).start()


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(listener, sys.argv[1]), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)
