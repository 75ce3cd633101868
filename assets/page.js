// What htmx does not: ticks change the question, presses are meant, changes are followed, signs of life.
(() => {
  'use strict';
  const TOUCH_EVERY_MS = 30_000;
  const token = document.querySelector('meta[name="form-token"]')?.content;

  let touchedAt = -Infinity;

  function touch() {
    if (token === undefined || performance.now() - touchedAt < TOUCH_EVERY_MS) return;
    touchedAt = performance.now();
    const headers = { 'x-batchgate-form-token': token };
    void fetch('/v1/touch', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
  }

  // A menu that a person opened stays open.
  htmx.config.morphIgnore.push('open');
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, touch, { passive: true });

  // Nothing moves under a pressed pointer, or the press would end on something else, nor while a form is sent; what came
  // meanwhile follows.
  let pressed = false;
  let sent = false;
  let held = false;
  const readHeld = () => {
    if (!held) return;
    held = false;
    htmx.trigger('#live', 'again');
  };
  document.addEventListener('pointerdown', ({ isPrimary, button }) => (pressed = isPrimary && button === 0), {
    capture: true,
  });
  document.addEventListener('htmx:before:swap', (event) => {
    if (!pressed && !sent) return;
    held = true;
    event.preventDefault();
  });
  for (const kind of ['pointerup', 'pointercancel'])
    window.addEventListener(kind, () => {
      pressed = false;
      // After the click that this ends.
      setTimeout(readHeld);
    });

  // A question takes no press before it has been in sight for a while, nor by what was pressed before it came.
  const TICK_MS = 100;
  const down = new Set();
  const questions = new Map();
  const digestOf = (form) => form.elements.digest.value;
  const isReady = (form) => {
    const question = questions.get(digestOf(form));
    return question !== undefined && question.left <= 0 && question.before.size === 0;
  };
  const decideForms = () => [...document.querySelectorAll('form.decide')];
  const shownQuestions = () => new Set(decideForms().flatMap((form) => questions.get(digestOf(form)) ?? []));
  let choosing = false;
  let ticking;
  let lostAt;

  function settle() {
    const forms = decideForms();
    for (const form of forms) {
      const digest = digestOf(form);
      if (!questions.has(digest))
        questions.set(digest, { left: Number(form.dataset.settleMs), before: new Set(down) });
      for (const button of form.querySelectorAll('button.go'))
        button.disabled = sent || choosing || lostAt !== undefined || !isReady(form);
    }
    if (forms.every(isReady)) ticking = clearInterval(ticking);
    else ticking ??= startTicking();
  }

  function startTicking() {
    let last = performance.now();
    return setInterval(() => {
      const now = performance.now();
      // A page that got no time was not looked at for longer than a tick either.
      const passed = document.hidden ? 0 : Math.min(now - last, 2 * TICK_MS);
      last = now;
      for (const question of shownQuestions()) question.left -= passed;
      settle();
    }, TICK_MS);
  }

  const released = (key) => {
    down.delete(key);
    for (const { before } of questions.values()) before.delete(key);
  };
  document.addEventListener(
    'pointerdown',
    ({ pointerId, target }) => {
      down.add(pointerId);
      const form = target.closest('form.decide');
      // A press that came too early was not meant for this question: its time starts again.
      if (form && target.closest('.actions') && !isReady(form)) questions.delete(digestOf(form));
      settle();
    },
    { capture: true },
  );
  document.addEventListener(
    'keydown',
    (event) => {
      down.add(event.code);
      if (event.repeat && event.target.matches('button')) event.preventDefault();
    },
    { capture: true },
  );
  for (const kind of ['pointerup', 'pointercancel'])
    window.addEventListener(kind, ({ pointerId }) => released(pointerId));
  window.addEventListener('keyup', ({ code }) => released(code));
  window.addEventListener('blur', () => [...down].forEach(released));

  // Excluded items change the question. They are kept in the address, so that they outlast Back and a reload.
  function keepChoice(form) {
    const live = document.querySelector('#live');
    const boxes = [...form.querySelectorAll('.part')];
    const asked = new URLSearchParams({ digest: digestOf(form) });
    for (const { checked, value } of boxes) if (checked) asked.append('keep', value);
    const query = boxes.every(({ checked }) => checked) ? '' : `?${asked}`;
    history.replaceState(history.state, '', `${live.getAttribute('hx-get')}${query}`);
  }
  // What was ticked off while the page was being read would be ticked again by that answer: it is read once more.
  let choices = 0;
  let asked = 0;
  document.addEventListener('htmx:before:request', ({ target }) => {
    if (target.id === 'live') asked = choices;
  });
  document.addEventListener('htmx:before:swap', (event) => {
    if (asked === choices) return;
    event.preventDefault();
    setTimeout(() => htmx.trigger('#live', 'again'));
  });
  document.addEventListener('change', ({ target }) => {
    if (!target.matches('.part')) return;
    choices += 1;
    keepChoice(target.form);
    // Until the page shows the changed question, nothing can be confirmed.
    choosing = true;
    settle();
    htmx.trigger('#live', 'again');
  });
  document.addEventListener('htmx:after:swap', () => {
    choosing = false;
    settle();
    const asked = new URLSearchParams(location.search).get('digest');
    if (asked !== null && !decideForms().some((form) => digestOf(form) === asked))
      history.replaceState(history.state, '', document.querySelector('#live').getAttribute('hx-get'));
  });
  document.documentElement.dataset.script = '';
  settle();

  // A form that was sent disables all, and says what it does, until the next page is here.
  const ANSWER_MS = 30_000;
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (form.method !== 'post' || submitter?.formMethod === 'dialog') return;
    // What no button sent is for the server to judge.
    if (sent || (submitter?.matches('.go') && !isReady(form))) return event.preventDefault();
    sent = true;
    // The browser reads the fields after this event.
    setTimeout(() => {
      const buttons = [...document.querySelectorAll('form button:not([hidden])')].filter(
        (one) => !one.disabled,
      );
      const label = submitter?.innerHTML;
      for (const button of buttons) button.disabled = true;
      if (submitter?.dataset.busy) submitter.textContent = submitter.dataset.busy;
      // The answer got lost. Sent again, the form is the same decision.
      setTimeout(() => {
        sent = false;
        for (const button of buttons) button.disabled = false;
        if (submitter) submitter.innerHTML = label;
        settle();
        readHeld();
      }, ANSWER_MS);
    });
  });

  // While the server cannot be reached, the page says so and nothing can be confirmed; what was chosen stays.
  const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
  function connected(isConnected) {
    if (isConnected === (lostAt === undefined)) return;
    lostAt = isConnected ? undefined : new Date();
    const place = document.querySelector('#connection');
    place.hidden = isConnected;
    place.textContent = isConnected
      ? ''
      : `Not connected since ${hour.format(lostAt)}. Nothing can be confirmed until the server answers again; what you chose is kept.`;
    settle();
  }
  document.addEventListener('htmx:after:request', () => connected(true));

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
  document.addEventListener('htmx:error', ({ target, detail }) => {
    if (detail.ctx) connected(false);
    readAgain(target);
  });
  document.addEventListener('htmx:response:error', ({ target, detail }) => {
    const { status } = detail.ctx.response;
    if (status >= 500 || status === 429) readAgain(target);
    // The page is gone, or may no longer be read: its whole answer says so.
    else if (status === 401 || (target.id === 'live' && [403, 404].includes(status))) leave();
  });

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
    connected: () => connected(true),
    // Whether only the stream ended shows when the page is read.
    failed: () => readAgain('#live'),
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
  follow();

  // A page out of the browser's memory shows how things stood.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
})();
