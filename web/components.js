/**
 * The app's adapter for bridge components (Hotwire Native, Strada), as `window.nativeBridge`. The page's web library
 * sends its messages through it; native code calls its methods to register components and to reply.
 * The app adds it as a user script for document start, in main frames only.
 *
 * It announces itself to native code when the page first uses it. It does not replace another adapter.
 */
;(() => {
  "use strict"

  const android = window.BridgeComponentsNative ?? window.StradaNative
  const ios = window.webkit?.messageHandlers?.bridge ?? window.webkit?.messageHandlers?.strada

  const isStrada = !android && !window.webkit?.messageHandlers?.bridge

  /** The page's web library, or undefined. An app with Strada knows only that of Strada. */
  const library = () => (isStrada ? undefined : window.HotwireNative?.web) ?? window.Strada?.web

  class Adapter {
    #components = new Set()
    #missing = new Set()
    #isAnnounced = false
    #isRegistered = false
    #served

    // The web library calls these.

    get platform() {
      return android ? "android" : "ios"
    }

    get supportedComponents() {
      this.#announce()
      return [...this.#components]
    }

    /**
     * Also reports each unsupported component to native code once. Native code would not notice it otherwise, because
     * the web library sends nothing to such a component.
     */
    supportsComponent(name) {
      this.#announce()
      const isSupported = this.#components.has(name)
      if (!isSupported && this.#isRegistered && !this.#missing.has(name)) {
        this.#missing.add(name)
        this.postMessage({ name: "unsupportedComponent", component: name })
      }
      return isSupported
    }

    receive(message) {
      this.postMessage(message)
    }

    /** @param {object | "ready"} message a library posts "ready" to announce the adapter again */
    postMessage(message) {
      if (!android) ios.postMessage(message)
      else if (message === "ready") android.bridgeDidInitialize()
      else android.bridgeDidReceiveMessage(JSON.stringify(message))
    }

    // Native code calls these.

    /** @param {string | string[]} names */
    register(names) {
      for (const name of [names].flat()) this.#components.add(name)
      this.#isRegistered = true
      this.#update()
    }

    unregister(name) {
      if (this.#components.delete(name)) this.#update()
    }

    /** @param {object | string} message the message or its JSON */
    replyWith(message) {
      library()?.receive(typeof message === "string" ? JSON.parse(message) : message)
    }

    /** Gives the web library the adapter once components are registered. Until then the library keeps its messages. */
    serve() {
      const web = library()
      if (!web) return
      this.#announce()
      if (!this.#isRegistered || this.#served === web) return
      this.#served = web
      web.setAdapter(this)
    }

    #update() {
      for (const name of this.#components) this.#missing.delete(name)
      if (this.#served) this.#served.adapterDidUpdateSupportedComponents()
      else this.serve()
      android?.bridgeDidUpdateSupportedComponents()
    }

    #announce() {
      if (this.#isAnnounced) return
      this.#isAnnounced = true
      this.postMessage("ready")
    }
  }

  if (window.nativeBridge || !(android || ios)) return
  const adapter = new Adapter()
  window.nativeBridge = adapter
  document.addEventListener("web-bridge:ready", () => adapter.serve())
  adapter.serve()
})()
