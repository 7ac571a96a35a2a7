/// Waiting in a page.
package enum PageWait {
    /// A JavaScript function that calls an async function until its value is true, and then returns `[true]`.
    ///
    /// It calls it whenever the document changes, and every 20 ms, because a variable may change as well. When the time is
    /// over, it returns `[false]` with the last value, or without one if there was none. A name lets ``end(of:)`` end it.
    package static let function = """
        (async (condition, milliseconds, name) => {
          let [changed, isOver, last] = [() => {}, false, []]
          // The page may have replaced its timers by ones that only its test moves on.
          const after = (time, next) => { AbortSignal.timeout(time).onabort = next }
          // A condition that changes the document itself must not keep the page from everything else.
          const observer = new MutationObserver(() => after(0, changed))
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
          const ask = async () => {
            while (!isOver) {
              const value = await condition()
              if (value) return [true]
              last = [typeof value === "bigint" ? 0 : value]
              await new Promise((next) => {
                changed = next
                after(20, next)
              })
            }
          }
          const end = new Promise((end) => {
            const giveUp = () => end([false, ...last])
            after(milliseconds, giveUp)
            if (name) globalThis[Symbol.for(name)] = giveUp
          })
          try {
            return await Promise.race([ask(), end])
          } finally {
            isOver = true
            observer.disconnect()
            if (name) delete globalThis[Symbol.for(name)]
          }
        })
        """

    /// A script that ends a wait before its time is over.
    package static func end(of name: String) -> String { "globalThis[Symbol.for('\(name)')]?.()" }
}
