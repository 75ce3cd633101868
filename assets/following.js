// Refreshes the page when the stream of all windows reports a change, and shows the assistant's text as it is written.
(() => {
  'use strict';
  // The assistant's answer so far. A refreshed page may lack its newest words.
  const answers = new Map();
  const answerOf = (turn) => document.querySelector(`[data-answer="${turn}"]`);
  function writeAnswer({ turn, text }) {
    answers.set(turn, text);
    const at = answerOf(turn);
    if (at) at.textContent = text;
  }
  document.addEventListener('htmx:after:swap', () => {
    for (const [turn, text] of answers) {
      const at = answerOf(turn);
      if (at) at.textContent = text;
      else answers.delete(turn);
    }
  });

  // One stream for all visible windows of a browser (assets/streams.js).
  const { streams } = document.currentScript.dataset;
  const heard = {
    state: () => htmx.trigger('#live', 'state'),
    connected: () => document.dispatchEvent(new Event('batchgate:connected')),
    silent: (since) => document.dispatchEvent(new CustomEvent('batchgate:silent', { detail: since })),
    // A refresh shows whether only the stream ended.
    failed: () => htmx.trigger('#live', 'failed'),
    answer: writeAnswer,
  };
  const receive = ({ event, data }) => heard[event](data);
  let port;

  async function open() {
    try {
      const worker = new SharedWorker(streams);
      worker.port.onmessage = ({ data }) => receive(data);
      worker.onerror = () => {
        port = undefined;
        setTimeout(follow, 2_000);
      };
      return worker.port;
    } catch {
      await import(streams);
      return self.batchgateStreams(receive);
    }
  }

  function follow() {
    const { stream, on, mark } = document.querySelector('#live')?.dataset ?? {};
    if (on && !document.hidden) port ??= open();
    void port?.then((one) => one.postMessage(document.hidden || !on ? { stream } : { stream, on, mark }));
  }
  document.addEventListener('visibilitychange', follow);
  document.addEventListener('htmx:after:swap', follow);
  window.addEventListener('pagehide', () => void port?.then((one) => one.postMessage({})));
  // Before htmx has started, no event would refresh the page.
  document.addEventListener('htmx:after:process', follow, { once: true });
})();
