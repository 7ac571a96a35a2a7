// Part of driven.js: pages that ask for the camera or the microphone. Native code decides before the browser does.

/** What WebKit says of a request that was denied. */
const MEDIA_DENIED =
  "The request is not allowed by the user agent or the platform in the current context, possibly because the user denied permission."

/** The devices that a call of `getUserMedia` asks for. Its members may be getters of the page. */
const wantedDevices = (constraints) => {
  const wanted = makeList()
  try {
    if (Object(constraints).video) wanted[wanted.length] = "camera"
    if (Object(constraints).audio) wanted[wanted.length] = "microphone"
  } catch {} // The browser's method throws the same.
  return wanted
}

/** Asks native code in each call of `getUserMedia`. Only secure contexts have it. */
const decideMedia = (outbox) => {
  if (!window.MediaDevices) return
  override(window.MediaDevices.prototype, "getUserMedia", (method, devices, list) => {
    const wanted = wantedDevices(first(list))
    if (wanted.length === 0) return apply(method, devices, list)
    return new Promise((resolve, reject) => {
      then(outbox.ask("media", `["${join(wanted, '","')}"]`), (decision) => {
        if (decision === "deny") reject(new DOMException(MEDIA_DENIED, "NotAllowedError"))
        else resolve(apply(method, devices, list))
      })
    })
  })
}
