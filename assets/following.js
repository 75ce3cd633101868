// What changed is told by one stream for all windows, and what an assistant writes is shown as it comes.
(() => {
  'use strict';
  // The answer of an assistant, as it is written. A page that was read again may lack the newest words.
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

  // One stream tells all windows of a browser what changed (assets/streams.js), except hidden ones.
  const { streams } = document.currentScript.dataset;
  const heard = {
    state: () => htmx.trigger('#live', 'state'),
    connected: () => document.dispatchEvent(new Event('batchgate:connected')),
    silent: (since) => document.dispatchEvent(new CustomEvent('batchgate:silent', { detail: since })),
    // Whether only the stream ended shows when the page is read.
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
  // Before htmx has begun, nothing would read the page again.
  document.addEventListener('htmx:after:process', follow, { once: true });
})();
