// Part of driven.js: a frame knows the handlers of the page around it, if both have one origin, as in WebKit.

const detailOf = getter("CustomEvent", "detail")

/** What the page around this frame shares. It answers an event whose name no page knows. */
const askForShared = () => {
  const detail = { __proto__: null, shared: undefined }
  try {
    if (window.parent !== window) dispatch(window.parent, new CustomEvent(settings.secret, { __proto__: null, detail }))
  } catch {} // That page has another origin.
  return detail.shared
}

const share = (shared) => {
  listen(window, settings.secret, (event) => (detailOf(event).shared = shared))
}

const shared = settings.secret && askForShared()
const sharedRegistrations = shared?.registrations
/**
 * The outboxes of frames with messages that are not handled, by the frames' names. The driver can't reach the scripts
 * of a frame that was removed, but another page may wait for its replies.
 */
const frameOutboxes = shared?.frameOutboxes ?? new Table()
/** The name of this frame's document in that table. */
const frameName = shared && `${random()}`
