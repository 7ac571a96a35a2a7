// The first script: the handler stands already, and the message is kept until native code is there.
const handler = window.webkit?.messageHandlers.nativeApp
  // As an app for Android has it: an object whose method takes text.
  ?? (window.nativeApp && { postMessage: (body) => window.nativeApp.postMessage(JSON.stringify(body)) })
handler?.postMessage({ name: "ActionButton", path: "/customers/new", icon: "plus" })
