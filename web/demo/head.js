// This runs first: the handler exists already, and the message waits until native code is connected.
const handler = window.webkit?.messageHandlers.nativeApp
  // In an Android app it is an object, and its method takes text.
  ?? (window.nativeApp && { postMessage: (body) => window.nativeApp.postMessage(JSON.stringify(body)) })
handler?.postMessage({ name: "ActionButton", path: "/customers/new", icon: "plus" })
