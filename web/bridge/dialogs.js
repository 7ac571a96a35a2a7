// Part of bridge.js: `alert`, `confirm` and `prompt`, if native code answers them. They block the page, as the
// browser's own dialogs do.

const textOf = (value) => (value === undefined ? "" : `${value}`)

const dialogs = {
  __proto__: null,
  alert: { texts: (list) => [list.length === 0 ? "" : `${list[0]}`], dismissed: undefined },
  confirm: { texts: (list) => [textOf(list[0])], dismissed: false },
  prompt: { texts: (list) => [textOf(list[0]), textOf(list[1])], dismissed: null }
}

if (bridge.scope.dialogs) {
  each(keysOf(dialogs), (name) => {
    const { texts, dismissed } = dialogs[name]
    override(window, name, (method, target, list) => {
      const given = texts(list)
      try {
        return callInterface("window", name, given)
      } catch (error) {
        report("error", `${name}(${quote(given[0])}) was dismissed, because native code did not answer: ${error.message}`)
        return dismissed
      }
    })
  })
}
