// This runs first: the handler exists already, and the message waits until native code is connected.
const handler = window.webkit?.messageHandlers.nativeApp
  // In an Android app, `nativeApp` is an object with a method that takes text.
  ?? (window.nativeApp && { postMessage: (body) => window.nativeApp.postMessage(JSON.stringify(body)) })
handler?.postMessage({ name: "ActionButton", path: "/customers/new", icon: "plus" })
