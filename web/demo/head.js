// The first script: the handler stands already, and the message is kept until native code is there.
window.webkit?.messageHandlers.nativeApp?.postMessage({ name: "ActionButton", path: "/customers/new", icon: "plus" })
