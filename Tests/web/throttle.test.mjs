import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { atMostEvery } from "../../web/inspector/dom.js"

test("asks at once, and once more at the end of the time", async () => {
  mock.timers.enable({ apis: ["setTimeout"] })
  let count = 0
  const ask = atMostEvery(1000, () => { count += 1 })
  for (let index = 0; index < 5; index++) ask()
  assert.equal(count, 1)
  const pass = async (milliseconds) => {
    mock.timers.tick(milliseconds)
    for (let index = 0; index < 10; index++) await Promise.resolve()
  }
  await pass(999)
  assert.equal(count, 1)
  await pass(1)
  assert.equal(count, 2)
  await pass(5000)
  assert.equal(count, 2)
  mock.timers.reset()
})
