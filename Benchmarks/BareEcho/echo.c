// A peer of the benchmarks, which shows the cost of libwebsockets alone. It sends each message back unchanged and in
// order, as many at a time as the socket accepts. Prints its port. Its argument is the loop: poll (libwebsockets' own)
// or uv.
#include <libwebsockets.h>
#include <string.h>

struct message { struct message *next; size_t length; unsigned char bytes[]; };
struct session { struct message *incoming, *first, *last; };

static void receive(struct lws *wsi, struct session *session, const void *bytes, size_t count) {
    struct message *message = session->incoming;
    if (!message) {
        message = malloc(sizeof *message + LWS_PRE + count + lws_remaining_packet_payload(wsi));
        message->next = NULL;
        message->length = 0;
    }
    memcpy(message->bytes + LWS_PRE + message->length, bytes, count);
    message->length += count;
    session->incoming = lws_remaining_packet_payload(wsi) ? message : NULL;
    if (session->incoming) return;
    if (session->first) session->last->next = message; else session->first = message;
    session->last = message;
    lws_callback_on_writable(wsi);
}

static int echo(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct session *session = user;
    if (reason == LWS_CALLBACK_RECEIVE) receive(wsi, session, in, length);
    while (reason == LWS_CALLBACK_SERVER_WRITEABLE && session->first) {
        struct message *message = session->first;
        if (lws_write(wsi, message->bytes + LWS_PRE, message->length, LWS_WRITE_TEXT) < 0) return -1;
        session->first = message->next;
        free(message);
        if (session->first && lws_send_pipe_choked(wsi)) { lws_callback_on_writable(wsi); break; }
    }
    return 0;
}

int main(int count, char **arguments) {
    const char *loop = count > 1 ? arguments[1] : "poll";
    // The receive buffer of a connection is as large as the daemon's.
    static const struct lws_protocols protocols[] = {{"echo", echo, sizeof(struct session), 16 << 10}, {0}};
    struct lws_context_creation_info info = {.port = 0, .iface = "127.0.0.1", .protocols = protocols, .gid = -1, .uid = -1,
                                             .pt_serv_buf_size = 64 << 10, .vhost_name = "echo"};
    if (!strcmp(loop, "uv")) info.options |= LWS_SERVER_OPTION_LIBUV;
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context *context = lws_create_context(&info);
    if (!context) return 1;
    printf("%d\n", lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "echo")));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) {}
    return 0;
}
