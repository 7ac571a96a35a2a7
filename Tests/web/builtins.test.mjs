import assert from "node:assert/strict"
import { test } from "node:test"
import { browserBuiltIns, languageBuiltIns, pollute, replaceBuiltIn } from "./support/builtins.mjs"
import { attachedPage, source, turn } from "./support/page.mjs"
import { makeRealm } from "./support/realm.mjs"

const handlers = [{ name: "nativeApp", replies: false }, { name: "asks", replies: true }]

/** A page whose built-ins a test may replace, with all that a page does: `live` ends normally if all of it works. */
class LivePage {
  #seq = 0
  #id = 100

  static async start() {
    const live = new LivePage()
    live.realm = makeRealm()
    live.page = await attachedPage({ handlers, realm: live.realm, settings: { token: "t0k" } })
    live.handler = live.page.handler
    live.asks = live.page.window.webkit.messageHandlers.asks
    // The fake browser must work while the page's methods do not.
    live.page.dispatch = (type, members) => {
      const event = Object.assign(new Event(type), members)
      EventTarget.prototype.dispatchEvent.call(live.page.window, event)
    }
    live.page.load = () => {}
    return live
  }

  async live() {
    await this.messages()
    await this.evaluations()
    await this.reconnection()
    await this.departure()
    this.page.socket.sent.splice(0)
    this.page.beacons.splice(0)
    assert.deepEqual(this.page.logged.splice(0).filter(({ level }) => /warn|error/.test(level)), [])
  }

  async messages() {
    const { page, realm } = this
    const posted = this.handler.postMessage(realm.adopt({ text: "\ud800/~", at: new Date(0), list: [1, -0] }))
    const asked = this.asks.postMessage("question")
    await turn()
    const [message, question] = page.sent("message.post")
    assert.deepEqual(message.params.body.list, [1, "-0"])
    assert.deepEqual(message.params.types, { "/text": "utf16", "/at": "date", "/list/1": "number" })
    assert.equal(question.id, this.#seq + 2)
    this.#seq += 2
    page.receive({ method: "page.ack", params: { seq: this.#seq } },
      { id: question.id, result: { value: "-0", types: { "": "number" } } })
    assert.equal(await this.#value(posted), undefined)
    assert.equal(await this.#value(asked), -0)
    page.socket.sent.splice(0)
  }

  /** The value of a promise that is fulfilled by now. */
  #value(promise) {
    const pending = turn().then(turn).then(() => Promise.reject(new Error("The promise is pending.")))
    return Promise.race([this.realm.settled(promise), pending])
  }

  async evaluations() {
    const evaluate = (source) => this.page.call("script.evaluate", { source }, ++this.#id)
    assert.equal((await evaluate("6 * 7")).result.value, 42)
    assert.equal((await evaluate(`let kept${this.#id} = 5; kept${this.#id} + 1`)).result.value, 6)
    assert.equal((await evaluate("\n  null.missing")).error.data.line, 2)
    const called = await this.page.call("script.callAsync", {
      body: "return xyzzy + plugh.thud", arguments: { xyzzy: 1, plugh: { thud: "41" } },
      types: { "/plugh/thud": "number" }
    }, ++this.#id)
    assert.equal(called.result.value, 42)
    const failed = await this.page.call("script.callAsync", { body: "throw 'no'" }, ++this.#id)
    assert.equal(failed.error.data.message, "no")
    this.page.receive({ method: "handlers.changed", params: { handlers } })
  }

  async reconnection() {
    const { page } = this
    page.disconnect()
    this.handler.postMessage("while away")
    this.#seq++
    page.clock.advance(100)
    page.socket.emit("open")
    assert.equal(page.frames[0].params.resume, true)
    assert.deepEqual(page.socket.protocols, ["bridge.page.v1", "bridge.token.t0k"])
    page.accept({ resumed: true, lastSeq: this.#seq - 1 })
    await turn()
    assert.deepEqual(page.sent("message.post").map(({ params }) => params.body), ["while away"])
    assert.equal(page.states.at(-1), "connected")
  }

  async departure() {
    const { page } = this
    page.dispatch("beforeunload")
    page.dispatch("pagehide", { persisted: true })
    assert.deepEqual(page.beacons[0].messages.map(({ params }) => params.body), ["while away"])
    assert.equal(JSON.parse(page.stored["bridged-left"]).seq, this.#seq)
    page.dispatch("pageshow", { persisted: true })
    page.clock.advance(300)
    page.socket.emit("open")
    page.accept({ resumed: true, lastSeq: this.#seq })
    await turn()
    assert.equal(page.states.at(-1), "connected")
  }
}

/** Lets a page live once with each change. A page that a change broke is not used again. */
const tryEach = async (find, change) => {
  let live = await LivePage.start()
  await live.live()
  let list = find(live)
  const count = list.length
  const broken = []
  for (let index = 0; index < count; index++) {
    const restore = change(list[index], live)
    let failure
    try {
      await live.live()
    } catch (error) {
      failure = error
    }
    restore()
    if (!failure) continue
    broken.push(`${list[index].name ?? list[index]}: ${failure.message.split("\n", 1)[0]}`)
    live = await LivePage.start()
    list = find(live)
  }
  assert.deepEqual(broken, [])
  return count
}

test("works if the page replaces any built-in of the language", async () => {
  const count = await tryEach(({ realm }) => languageBuiltIns(realm), replaceBuiltIn)
  assert.ok(count > 600, `${count} built-ins`)
})

test("works if the page replaces any built-in of the browser", async () => {
  const count = await tryEach(({ page }) => browserBuiltIns(page), replaceBuiltIn)
  assert.ok(count > 60, `${count} built-ins`)
})

test("works if the page replaces all built-ins at once", async () => {
  const live = await LivePage.start()
  const restore = [...languageBuiltIns(live.realm), ...browserBuiltIns(live.page)].map(replaceBuiltIn).reverse()
  await live.live().finally(() => restore.forEach((run) => run()))
})

const indices = ["0", "1", "2"]
const code = source.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*|\/\/ .*$/gm, "")
/** Every name in the page script. Node itself asks for `prepareStackTrace`. */
const names = [...new Set(code.match(/[A-Za-z_$][\w$]*/g)), ...indices]
  .filter((name) => !(name in []) && name !== "prepareStackTrace")

const throwing = {
  get() { throw new Error("The page's getter ran.") },
  set() { throw new Error("The page's setter ran.") }
}
for (const [what, property] of [["accessor", throwing], ["value", { value: "the page's", writable: true }]]) {
  for (const [type, keys] of [["Object", names], ["Array", [...indices, "toJSON", "then", "index", "value"]]]) {
    test(`works if the page defines any ${what} on ${type}.prototype`, async () => {
      await tryEach(() => keys, (name, { realm }) => pollute(realm.run(type).prototype, name, property))
    })
  }
}

/** Methods of lists, texts, promises and regular expressions; Table has its own of the others. */
const methods = new Set([Array, String, Promise, RegExp, Function]
  .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
  .filter((name) => !["constructor", "length", "name", "forEach", "flags", "source", "arguments", "caller"].includes(name)))

const forbidden = [
  [/\bfor (?:await )?\(\w+ \S+ of\b/, "for…of"],
  [/\b(?:await|yield)\b/, "await"],
  [/(?:\b(?:const|let) |[(,] ?)\[[^\]]*\](?: = |\) =>)/, "destructuring of a list"],
  [/\[\.\.\./, "spread of a list"],
  [/\.{3}\w+\)(?! =>| \{)/, "spread of arguments"],
  [/\b(?:Promise|Object|Array|Number|Symbol|Reflect|JSON|Math|Date|String|URL)\.\w/, "a property of a built-in"],
  [/\bnew window\./, "a constructor of the page's"]
]

test("uses only saved built-ins", () => {
  const found = []
  // What comes before runs before the page's scripts.
  for (const line of code.slice(code.indexOf("const makeList")).split("\n")) {
    const statement = line.replace(/`[^`]*`|"[^"]*"/g, '""')
    for (const [form, name] of forbidden) if (form.test(statement)) found.push(`${name}: ${line.trim()}`)
    for (const [, name] of statement.matchAll(/\.(\w+)\(/g)) if (methods.has(name)) found.push(`${name}: ${line.trim()}`)
  }
  assert.deepEqual(found, [])
})
