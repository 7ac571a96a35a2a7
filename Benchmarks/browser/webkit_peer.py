"""A script message handler that replies, in WebKitGTK.   webkit_peer.py URL"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402


def reply(manager, value, reply):
    reply.return_value(value)
    return True


manager = WebKit2.UserContentManager()
manager.connect("script-message-with-reply-received::echo", reply)
manager.register_script_message_handler_with_reply("echo", None)
view = WebKit2.WebView.new_with_user_content_manager(manager)
window = Gtk.Window()
window.add(view)
window.show_all()
view.load_uri(sys.argv[1])
Gtk.main()
