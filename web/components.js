/**
 * The app's adapter for bridge components (Hotwire Native, Strada), as `window.nativeBridge`: the page's web library
 * sends through it, native code registers components and replies by its methods. A user script: document start, main
 * frame only.
 *
 * It announces itself to native code once the page has a use for it. An adapter that stands already is left alone.
 */
;(() => {
  "use strict"

  const android = window.BridgeComponentsNative ?? window.StradaNative
  const ios = window.webkit?.messageHandlers?.bridge ?? window.webkit?.messageHandlers?.strada

  /** The page's web library, or undefined. */
  const library = () => window.HotwireNative?.web ?? window.Strada?.web

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

    /** The web library sends nothing to a component that is not supported, and nobody hears of it but here. */
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

    /** Also a library's own way to announce the adapter anew: `"ready"`. */
    postMessage(message) {
      if (!android) ios.postMessage(message)
      else if (message === "ready") android.bridgeDidInitialize()
      else android.bridgeDidReceiveMessage(JSON.stringify(message))
    }

    // Native code calls these.

    /** `names`: one, or an array of them. */
    register(names) {
      for (const name of [names].flat()) this.#components.add(name)
      this.#isRegistered = true
      this.#update()
    }

    unregister(name) {
      if (this.#components.delete(name)) this.#update()
    }

    /** `message`: an object, or its JSON. */
    replyWith(message) {
      library()?.receive(typeof message === "string" ? JSON.parse(message) : message)
    }

    // Both ways.

    /** The web library is there. It gets the adapter once components are registered, and keeps its messages till then. */
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
