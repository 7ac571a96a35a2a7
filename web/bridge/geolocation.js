// Part of driven.js: pages that ask where the device is. Native code decides, and gives the position, before the browser
// does.

/** What WebKit says of a request that was denied. */
const LOCATION_DENIED = "User denied Geolocation"

/** An object that passes for one of the browser's. It has members of its own, because the getters of the class refuse it. */
const imitate = (type, members) => {
  const object = setPrototypeOf({}, window[type].prototype)
  each(keysOf(members), (key) => define(object, key, { value: members[key], enumerable: true, configurable: true }))
  return object
}

/** @param {number[]} place latitude, longitude and accuracy */
const makePosition = (place) => {
  const coords = {
    latitude: place[0], longitude: place[1], accuracy: place[2],
    altitude: null, altitudeAccuracy: null, heading: null, speed: null
  }
  return { coords: imitate("GeolocationCoordinates", coords), timestamp: getTime(new Date()) }
}

/** Asks native code in each call of `getCurrentPosition` and `watchPosition`. A watch gets one position. */
const decideLocations = (outbox) => {
  if (!window.Geolocation || !window.isSecureContext) return
  const { prototype } = window.Geolocation
  /** The browser's number of each watch, by the page's; 0 if the browser has none. */
  const watches = new Table()
  let lastWatch = 0

  /**
   * @param {ArrayLike} list the arguments of the call
   * @param {() => void} askUser leaves the question to the browser
   * @param {() => boolean} isWanted whether the page still waits
   */
  const ask = (list, askUser, isWanted) => {
    const succeed = list[0]
    const fail = list[1]
    then(outbox.ask("location", "[]"), (decision) => {
      if (!isWanted()) return
      if (decision === "prompt") return askUser()
      // The page's own error is an event of the window, as after the browser's call.
      if (decision !== "deny") setTimeout(() => succeed(imitate("GeolocationPosition", makePosition(decision))))
      else if (fail) setTimeout(() => fail(imitate("GeolocationPositionError", { code: 1, message: LOCATION_DENIED })))
    })
  }
  /** If not, the browser's method throws. */
  const isCallable = (list) => typeof first(list) === "function" && (!list[1] || typeof list[1] === "function")

  override(prototype, "getCurrentPosition", (method, target, list) => {
    if (!isCallable(list)) return apply(method, target, list)
    ask(list, () => apply(method, target, list), () => true)
  })
  override(prototype, "watchPosition", (method, target, list) => {
    if (!isCallable(list)) return apply(method, target, list)
    const watch = ++lastWatch
    watches.set(watch, 0)
    ask(list, () => watches.set(watch, apply(method, target, list)), () => watches.has(watch))
    return watch
  })
  override(prototype, "clearWatch", (method, target, list) => {
    const watch = first(list)
    const known = watches.get(watch)
    watches.delete(watch)
    if (known) apply(method, target, [known])
  })
}
