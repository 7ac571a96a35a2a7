/// The two functions with which values cross between JavaScriptCore and the wire (docs/protocol.md, "Script values").
///
/// They run in a context of this process that no page can reach. WebKit has already copied the value there, so it holds
/// only plain data. Neither function calls itself, so no value can overflow the stack.
enum ValueScript {
    static let source = #"""
        (() => {
          const MAX_DEPTH = 2_000 // as in web/bridge/wire.js
          // The daemon's parser refuses half of a surrogate pair, as it may stand in a key.
          const quote = (value) => JSON.stringify(typeof value === "string" ? value.toWellFormed() : value)
          const escapeToken = (key) => `${key}`.replaceAll("~", "~0").replaceAll("/", "~1")
          const unescapeToken = (token) => token.replaceAll("~1", "/").replaceAll("~0", "~")

          const pointer = (parent, key) => {
            let path = ""
            for (; parent; { parent, key } = parent) path = `/${escapeToken(key)}${path}`
            return path
          }

          const units = (text) => quote(Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)))

          // Returns the members `"NAME":…` and, if needed, `"types":…`, or `!` and the reason why there are none.
          const encode = (name, root) => {
            let text = `"${name}":`
            let types = ""
            const places = new Map()
            let [value, parent, key] = [root, null, ""] // `parent` is the container that is being written.
            const mark = (type, json) => {
              types += `${types && ","}${quote(pointer(parent, key))}:"${type}"`
              return json
            }
            for (;;) {
              switch (typeof value) {
                case "string": text += value.isWellFormed() ? quote(value) : mark("utf16", units(value)); break
                case "number":
                  text += Number.isFinite(value) && !Object.is(value, -0)
                    ? value : mark("number", Object.is(value, -0) ? '"-0"' : `"${value}"`)
                  break
                case "boolean": text += value; break
                case "object":
                  if (value === null) {
                    text += "null"
                  } else if (value instanceof Date) {
                    text += mark("date", Number.isFinite(value.getTime()) ? `"${value.toISOString()}"` : "null")
                  } else if (places.has(value)) {
                    const first = places.get(value)
                    text += mark("ref", quote(pointer(first.parent, first.key)))
                  } else {
                    const keys = Array.isArray(value) ? null : Object.keys(value)
                    const depth = parent ? parent.depth + 1 : 1
                    if (depth > MAX_DEPTH) return `!value nested more than ${MAX_DEPTH} levels deep`
                    parent = { parent, key, value, keys, depth, count: (keys ?? value).length, index: 0 }
                    places.set(value, parent)
                    text += keys ? "{" : "["
                  }
                  break
                default: text += mark("undefined", "null")
              }
              while (parent && parent.index === parent.count) {
                text += parent.keys ? "}" : "]"
                parent = parent.parent
              }
              if (!parent) return types ? `${text},"types":{${types}}` : text
              if (parent.index > 0) text += ","
              key = parent.keys ? parent.keys[parent.index] : parent.index
              parent.index++
              if (parent.keys) text += `${quote(key)}:`
              value = parent.value[key]
            }
          }

          const decoders = {
            undefined: () => undefined,
            date: (text) => new Date(text ?? NaN),
            number: Number,
            utf16: (list) => list.map((unit) => String.fromCharCode(unit)).join("")
          }

          // Makes a value from JSON and its `types`.
          const decode = (json, types) => {
            const root = { whole: JSON.parse(json) }
            const table = JSON.parse(types)
            const locate = (path) => {
              const tokens = `whole${path}`.split("/").map(unescapeToken)
              const key = tokens.pop()
              let holder = root
              for (const token of tokens) holder = holder[token]
              return { holder, key }
            }
            const change = (path, change) => {
              const { holder, key } = locate(path)
              Object.defineProperty(holder, key, { value: change(holder[key]) })
            }
            const follow = (path) => {
              const { holder, key } = locate(path)
              return holder[key]
            }
            const paths = Object.keys(table)
            for (const path of paths) if (table[path] !== "ref") change(path, decoders[table[path]])
            for (const path of paths) if (table[path] === "ref") change(path, follow)
            return root.whole
          }

          return {
            encodeBody: (value) => encode("body", value),
            encodeValue: (value) => encode("value", value),
            decode
          }
        })()
        """#
}
