// WebKitGTK, and typed functions for what Swift cannot import: macros and variadic functions of GObject. Names that are
// defined here begin with `bridged_`.
#ifndef BRIDGED_CWEBKITGTK_SHIM_H
#define BRIDGED_CWEBKITGTK_SHIM_H

#include <gio/gio.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <jsc/jsc.h>
#include <webkit2/webkit2.h>

// Signals. `g_signal_connect` is a macro that takes any function: each of these takes the functions of one type.

static inline gulong bridged_connect(gpointer object, const char *signal, GCallback handler, gpointer data) {
    return g_signal_connect_data(object, signal, handler, data, NULL, (GConnectFlags)0);
}

static inline void bridged_disconnect(gpointer object, gpointer data) {
    g_signal_handlers_disconnect_by_data(object, data);
}

#define BRIDGED_CONNECT(name, result, ...)                                                                             \
    static inline gulong bridged_connect_##name(                                                                       \
        gpointer object, const char *signal, result (*handler)(__VA_ARGS__, gpointer data), gpointer data) {           \
        return bridged_connect(object, signal, G_CALLBACK(handler), data);                                             \
    }

BRIDGED_CONNECT(simple, void, gpointer object)
BRIDGED_CONNECT(notify, void, gpointer object, gpointer property)
BRIDGED_CONNECT(message, void, gpointer manager, WebKitJavascriptResult *message)
BRIDGED_CONNECT(reply, gboolean, gpointer manager, JSCValue *message, WebKitScriptMessageReply *reply)
BRIDGED_CONNECT(resource, void, gpointer view, WebKitWebResource *resource, WebKitURIRequest *request)
BRIDGED_CONNECT(resource_sent, void, gpointer resource, WebKitURIRequest *request, WebKitURIResponse *redirected)
BRIDGED_CONNECT(print_failed, void, gpointer operation, GError *error)
BRIDGED_CONNECT(resource_failed, void, gpointer resource, GError *error)
BRIDGED_CONNECT(load, void, gpointer view, WebKitLoadEvent event)
BRIDGED_CONNECT(load_failed, gboolean, gpointer view, WebKitLoadEvent event, const char *uri, GError *error)
BRIDGED_CONNECT(
    certificate, gboolean, gpointer view, const char *uri, GTlsCertificate *certificate, GTlsCertificateFlags errors)
BRIDGED_CONNECT(terminated, void, gpointer view, WebKitWebProcessTerminationReason reason)
BRIDGED_CONNECT(policy, gboolean, gpointer view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type)
BRIDGED_CONNECT(dialog, gboolean, gpointer view, WebKitScriptDialog *dialog)
BRIDGED_CONNECT(create, GtkWidget *, gpointer view, WebKitNavigationAction *action)
BRIDGED_CONNECT(authenticate, gboolean, gpointer view, WebKitAuthenticationRequest *request)
BRIDGED_CONNECT(permission, gboolean, gpointer view, WebKitPermissionRequest *request)
BRIDGED_CONNECT(location, gboolean, gpointer manager)
BRIDGED_CONNECT(file_chooser, gboolean, gpointer view, WebKitFileChooserRequest *request)

// Constructors with properties, and casts.

static inline WebKitWebView *bridged_web_view_new(
    WebKitWebContext *context, WebKitUserContentManager *manager, WebKitSettings *settings) {
    return WEBKIT_WEB_VIEW(g_object_new(
        WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", manager, "settings", settings, NULL));
}

// A view in the process and with the session of the one that opens it, as `create` requires.
static inline WebKitWebView *bridged_web_view_new_related(
    WebKitWebView *opener, WebKitUserContentManager *manager, WebKitSettings *settings) {
    return WEBKIT_WEB_VIEW(g_object_new(
        WEBKIT_TYPE_WEB_VIEW, "related-view", opener, "user-content-manager", manager, "settings", settings, NULL));
}

static inline GtkWidget *bridged_widget(WebKitWebView *view) { return GTK_WIDGET(view); }
static inline GtkWindow *bridged_window(GtkWidget *widget) { return GTK_WINDOW(widget); }
// g_object_set has a variable number of arguments, which Swift cannot call.
static inline void bridged_prefer_dark(gboolean is_dark) {
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", is_dark, NULL);
}

// What windows have changed in the display: the preferred colours, and what was copied or selected.
static inline void bridged_reset_display(void) {
  gtk_settings_reset_property(gtk_settings_get_default(), "gtk-application-prefer-dark-theme");
  gtk_clipboard_clear(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD));
  gtk_clipboard_clear(gtk_clipboard_get(GDK_SELECTION_PRIMARY));
}
// The height of the first screen without its panels, in points; 10000 if it is unknown.
static inline int bridged_screen_height(void) {
    GdkDisplay *display = gdk_display_get_default();
    GdkMonitor *monitor = display ? gdk_display_get_monitor(display, 0) : NULL;
    if (!monitor) return 10000;
    GdkRectangle area;
    gdk_monitor_get_workarea(monitor, &area);
    return area.height;
}
static inline GtkContainer *bridged_container(GtkWidget *widget) { return GTK_CONTAINER(widget); }

// Arguments of an asynchronous function: a GVariant of the type `a{sv}`.

static inline GVariantBuilder *bridged_arguments_new(void) { return g_variant_builder_new(G_VARIANT_TYPE("a{sv}")); }
static inline void bridged_arguments_add(GVariantBuilder *arguments, const char *name, GVariant *value) {
    g_variant_builder_add(arguments, "{sv}", name, value);
}

// Errors. The domain is a macro that calls a function.
static inline gboolean bridged_is_script_error(const GError *error) { return error->domain == WEBKIT_JAVASCRIPT_ERROR; }

// The parts of policy decisions, whose types are subclasses.

static inline WebKitNavigationAction *bridged_action(WebKitPolicyDecision *decision) {
    return webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
}
static inline WebKitURIRequest *bridged_action_request(WebKitPolicyDecision *decision) {
    return webkit_navigation_action_get_request(bridged_action(decision));
}
static inline WebKitNavigationType bridged_action_type(WebKitPolicyDecision *decision) {
    return webkit_navigation_action_get_navigation_type(bridged_action(decision));
}
static inline gboolean bridged_action_is_gesture(WebKitPolicyDecision *decision) {
    return webkit_navigation_action_is_user_gesture(bridged_action(decision));
}
static inline WebKitURIResponse *bridged_response(WebKitPolicyDecision *decision) {
    return webkit_response_policy_decision_get_response(WEBKIT_RESPONSE_POLICY_DECISION(decision));
}
static inline gboolean bridged_response_is_main_frame(WebKitPolicyDecision *decision) {
    return webkit_response_policy_decision_is_main_frame_main_resource(WEBKIT_RESPONSE_POLICY_DECISION(decision));
}

// Whether a page asks for the camera, or for the microphone.
static inline gboolean bridged_asks_for(WebKitPermissionRequest *request, gboolean camera) {
    if (!WEBKIT_IS_USER_MEDIA_PERMISSION_REQUEST(request)) return FALSE;
    WebKitUserMediaPermissionRequest *media = WEBKIT_USER_MEDIA_PERMISSION_REQUEST(request);
    return camera ? webkit_user_media_permission_is_for_video_device(media)
                  : webkit_user_media_permission_is_for_audio_device(media);
}

// Whether a page asks where the device is.
static inline gboolean bridged_asks_for_location(WebKitPermissionRequest *request) {
    return WEBKIT_IS_GEOLOCATION_PERMISSION_REQUEST(request);
}

// The user's input. An event is a union of structures, and each has to name its window and its device.

static inline GdkEvent *bridged_event(WebKitWebView *view, GdkEventType type) {
    GtkWidget *widget = GTK_WIDGET(view);
    GdkEvent *event = gdk_event_new(type);
    event->any.window = GDK_WINDOW(g_object_ref(gtk_widget_get_window(widget)));
    GdkSeat *seat = gdk_display_get_default_seat(gtk_widget_get_display(widget));
    gboolean is_key = type == GDK_KEY_PRESS || type == GDK_KEY_RELEASE;
    GdkDevice *device = is_key ? gdk_seat_get_keyboard(seat) : gdk_seat_get_pointer(seat);
    gdk_event_set_device(event, device);
    gdk_event_set_source_device(event, device);
    return event;
}

static inline void bridged_send(WebKitWebView *view, GdkEvent *event) {
    gtk_widget_event(GTK_WIDGET(view), event);
    gdk_event_free(event);
}

// Presses the first button, or lets it go.
static inline void bridged_button(WebKitWebView *view, double x, double y, gboolean is_press) {
    if (!gtk_widget_get_realized(GTK_WIDGET(view))) return;
    GdkEvent *event = bridged_event(view, is_press ? GDK_BUTTON_PRESS : GDK_BUTTON_RELEASE);
    event->button.x = event->button.x_root = x;
    event->button.y = event->button.y_root = y;
    event->button.button = 1;
    event->button.state = is_press ? 0 : GDK_BUTTON1_MASK;
    bridged_send(view, event);
}

static inline void bridged_click(WebKitWebView *view, double x, double y) {
    bridged_button(view, x, y, TRUE);
    bridged_button(view, x, y, FALSE);
}

static inline void bridged_move(WebKitWebView *view, double x, double y, gboolean is_pressed) {
    if (!gtk_widget_get_realized(GTK_WIDGET(view))) return;
    GdkEvent *event = bridged_event(view, GDK_MOTION_NOTIFY);
    event->motion.x = event->motion.x_root = x;
    event->motion.y = event->motion.y_root = y;
    event->motion.state = is_pressed ? GDK_BUTTON1_MASK : 0;
    bridged_send(view, event);
}

// A mouse with several buttons, while keys are held down: `state` is a GdkModifierType.

static inline void bridged_mouse(
    WebKitWebView *view, double x, double y, guint button, guint clicks, gboolean is_press, guint state) {
    if (!gtk_widget_get_realized(GTK_WIDGET(view))) return;
    GdkEventType types[] = {is_press ? GDK_BUTTON_PRESS : GDK_BUTTON_RELEASE, GDK_2BUTTON_PRESS};
    for (int i = 0; i < (is_press && clicks == 2 ? 2 : 1); i++) {
        GdkEvent *event = bridged_event(view, types[i]);
        event->button.x = event->button.x_root = x;
        event->button.y = event->button.y_root = y;
        event->button.button = button;
        event->button.state = state;
        bridged_send(view, event);
    }
}

static inline void bridged_move_with(WebKitWebView *view, double x, double y, guint state) {
    if (!gtk_widget_get_realized(GTK_WIDGET(view))) return;
    GdkEvent *event = bridged_event(view, GDK_MOTION_NOTIFY);
    event->motion.x = event->motion.x_root = x;
    event->motion.y = event->motion.y_root = y;
    event->motion.state = state;
    bridged_send(view, event);
}

// The deltas are steps of GTK's wheel.
static inline void bridged_scroll(WebKitWebView *view, double x, double y, double delta_x, double delta_y) {
    if (!gtk_widget_get_realized(GTK_WIDGET(view))) return;
    GdkEvent *event = bridged_event(view, GDK_SCROLL);
    event->scroll.x = event->scroll.x_root = x;
    event->scroll.y = event->scroll.y_root = y;
    event->scroll.direction = GDK_SCROLL_SMOOTH;
    event->scroll.delta_x = delta_x;
    event->scroll.delta_y = delta_y;
    bridged_send(view, event);
}

// Presses a key and lets it go. The symbol says what it types, so the keyboard need not have such a key. WebKit handles
// keys in their order; a text that came in another way could overtake them.
static inline void bridged_key(WebKitWebView *view, guint keyval, gboolean is_press, guint state) {
    GtkWidget *widget = GTK_WIDGET(view);
    if (!gtk_widget_get_realized(widget)) return;
    GdkKeymapKey key = {0};
    GdkKeymapKey *keys = NULL;
    gint count = 0;
    GdkKeymap *keymap = gdk_keymap_get_for_display(gtk_widget_get_display(widget));
    if (gdk_keymap_get_entries_for_keyval(keymap, keyval, &keys, &count) && count > 0) key = keys[0];
    g_free(keys);
    gtk_widget_grab_focus(widget);
    GdkEvent *event = bridged_event(view, is_press ? GDK_KEY_PRESS : GDK_KEY_RELEASE);
    event->key.keyval = keyval;
    event->key.hardware_keycode = (guint16)key.keycode;
    event->key.group = (guint8)key.group;
    event->key.state = state | (key.level == 1 ? GDK_SHIFT_MASK : 0);
    bridged_send(view, event);
}

static inline void bridged_press(WebKitWebView *view, guint keyval) {
    bridged_key(view, keyval, TRUE, 0);
    bridged_key(view, keyval, FALSE, 0);
}

// Requests to the daemon, which no proxy may get. What pages wait for takes a connection as long.

static inline SoupSession *bridged_session_new(int connections) {
    SoupSession *session =
        soup_session_new_with_options("max-conns", connections, "max-conns-per-host", connections, NULL);
    soup_session_set_proxy_resolver(session, NULL);
    return session;
}

// Calls a function when an object ends.
static inline void bridged_when_gone(gpointer object, void (*function)(gpointer data, GObject *object), gpointer data) {
    g_object_weak_ref(G_OBJECT(object), function, data);
}

// A source that calls a function each time that the main loop is about to wait.

typedef struct {
    GSource source;
    void (*function)(void);
} BridgedBeforeWait;

static inline gboolean bridged_before_wait_prepare(GSource *source, gint *timeout) {
    *timeout = -1;
    ((BridgedBeforeWait *)source)->function();
    return FALSE;
}

static inline gboolean bridged_before_wait_dispatch(GSource *source, GSourceFunc callback, gpointer data) {
    return G_SOURCE_CONTINUE;
}

static inline void bridged_before_wait(void (*function)(void)) {
    static GSourceFuncs functions = {.prepare = bridged_before_wait_prepare, .dispatch = bridged_before_wait_dispatch};
    GSource *source = g_source_new(&functions, sizeof(BridgedBeforeWait));
    ((BridgedBeforeWait *)source)->function = function;
    g_source_set_priority(source, G_PRIORITY_HIGH);
    g_source_attach(source, NULL);
}

#endif
