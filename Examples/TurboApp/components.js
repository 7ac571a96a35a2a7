// A minimal web half of bridge components. It does what @hotwired/hotwire-native-bridge and @hotwired/strada do.
window.components ??= (() => {
  const { dataset } = document.documentElement
  const waiting = []
  const callbacks = new Map()
  let adapter
  let lastID = 0

  const library = {
    setAdapter(given) {
      adapter = given
      dataset.bridgePlatform = adapter.platform
      library.adapterDidUpdateSupportedComponents()
      for (const message of waiting.splice(0)) library.send(message)
    },

    adapterDidUpdateSupportedComponents() {
      dataset.bridgeComponents = adapter.supportedComponents.join(" ")
    },

    supportsComponent: (name) => adapter?.supportsComponent(name) ?? false,

    send(message) {
      if (!adapter) return void waiting.push(message)
      if (!library.supportsComponent(message.component)) return
      const { callback, ...rest } = message
      const id = `${++lastID}`
      adapter.receive({ id, ...rest })
      callbacks.set(id, callback)
    },

    receive(message) {
      callbacks.get(message.id)?.(message)
    },
  }

  const send = (component, event, data, callback) =>
    library.send({ component, event, data: { ...data, metadata: { url: location.href } }, callback })

  /** @param {"HotwireNative" | "Strada"} name - The global under which native apps look for the library. */
  const announce = (name) => {
    window[name] = { web: library }
    document.dispatchEvent(new Event("web-bridge:ready"))
  }

  return { library, send, announce }
})()
