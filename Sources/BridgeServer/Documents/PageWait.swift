/// Waiting in a page.
package enum PageWait {
    /// A JavaScript function that calls an async function until its value is true, and then returns `[true]`.
    ///
    /// It calls it whenever the document changes, and every 20 ms, because a variable may change as well. When the time is
    /// over, it returns `[false]` with the last value, or without one if there was none.
    package static let function = """
        (async (condition, milliseconds) => {
          let [changed, isOver, last] = [() => {}, false, []]
          // A condition that changes the document itself must not keep the page from everything else.
          const observer = new MutationObserver(() => setTimeout(changed))
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
          const ask = async () => {
            while (!isOver) {
              const value = await condition()
              if (value) return [true]
              last = [typeof value === "bigint" ? 0 : value]
              await new Promise((next) => {
                changed = next
                setTimeout(next, 20)
              })
            }
          }
          const end = new Promise((end) => setTimeout(() => end([false, ...last]), milliseconds))
          try {
            return await Promise.race([ask(), end])
          } finally {
            isOver = true
            observer.disconnect()
          }
        })
        """
}
