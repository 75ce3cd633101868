// What htmx does not: ticks change the question, times in the reader's zone, signs of life.
(() => {
  'use strict';
  const TOUCH_EVERY_MS = 30_000;
  const token = document.querySelector('meta[name="form-token"]')?.content;

  const clock = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });

  function showTimes() {
    for (const time of document.querySelectorAll('time[datetime]')) {
      const text = clock.format(new Date(time.dateTime));
      if (time.textContent !== text) time.textContent = text;
    }
  }

  let touchedAt = -Infinity;

  function touch() {
    if (token === undefined || performance.now() - touchedAt < TOUCH_EVERY_MS) return;
    touchedAt = performance.now();
    const headers = { 'x-batchgate-form-token': token };
    void fetch('/v1/touch', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
  }

  // A menu that a person opened stays open.
  htmx.config.morphIgnore.push('open');
  showTimes();
  document.addEventListener('htmx:after:swap', showTimes);
  document.addEventListener('change', ({ target }) => {
    if (!target.matches('.part')) return;
    // Until the page shows the changed question, nothing can be confirmed.
    for (const button of document.querySelectorAll('button.go')) button.disabled = true;
    htmx.trigger('#live', 'again');
  });
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, touch, { passive: true });

  // Nothing moves under a pressed pointer, or the press would end on something else; what came meanwhile follows.
  let pressed = false;
  let held = false;
  document.addEventListener('pointerdown', ({ isPrimary, button }) => (pressed = isPrimary && button === 0), {
    capture: true,
  });
  document.addEventListener('htmx:before:swap', (event) => {
    if (!pressed) return;
    held = true;
    event.preventDefault();
  });
  for (const kind of ['pointerup', 'pointercancel'])
    window.addEventListener(kind, () => {
      pressed = false;
      if (!held) return;
      held = false;
      // After the click that this ends.
      setTimeout(() => htmx.trigger('#live', 'again'));
    });

  // What could not be read is read again, or the page would show how things stood until the next change.
  const readAgain = (part) => htmx.trigger(part, 'failed');
  // A page that is the answer to a form is not loaded again: that would send the form.
  let leaving = false;
  const leave = () => {
    if (leaving) return;
    leaving = true;
    const own = new URL(document.querySelector('#live')?.getAttribute('hx-get') ?? '', location.href);
    if (own.pathname === location.pathname) location.reload();
    else location.assign(own);
  };
  document.addEventListener('htmx:error', ({ target }) => readAgain(target));
  document.addEventListener('htmx:response:error', ({ target, detail }) => {
    const { status } = detail.ctx.response;
    if (status >= 500 || status === 429) readAgain(target);
    // The page is gone, or may no longer be read: its whole answer says so.
    else if (status === 401 || (target.id === 'live' && [403, 404].includes(status))) leave();
  });
  document.addEventListener('htmx:sse:error', ({ detail }) => detail.status === 401 && leave());

  // A page out of the browser's memory shows how things stood.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

  // The answer of an assistant, as it is written. A page that was read again may lack the newest words.
  const answers = new Map();
  const answerOf = (turn) => document.querySelector(`[data-answer="${turn}"]`);
  document.addEventListener('answer', ({ detail }) => {
    const { turn, text } = JSON.parse(detail.data);
    answers.set(turn, text);
    const at = answerOf(turn);
    if (at) at.textContent = text;
  });
  document.addEventListener('htmx:after:swap', () => {
    for (const [turn, text] of answers) {
      const at = answerOf(turn);
      if (at) at.textContent = text;
      else answers.delete(turn);
    }
  });
})();
