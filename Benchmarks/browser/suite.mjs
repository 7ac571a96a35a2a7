// Asks native code for a greeting, and shows its reply. In Playwright, a binding stands for native code.

const greet = globalThis.greet ?? ((message) => webkit.messageHandlers.greet.postMessage(message))

document.getElementById("send").addEventListener("click", async () => {
  const reply = await greet({ name: document.getElementById("name").value })
  document.getElementById("answer").textContent = reply.text
})
