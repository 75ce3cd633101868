// What htmx does not: ticks change the question, presses are meant and arrive, signs of life.
(() => {
  'use strict';
  const TOUCH_EVERY_MS = 30_000;
  const token = document.querySelector('meta[name="form-token"]')?.content;
  const { passkeys } = document.currentScript.dataset;

  // The pages of a window together: each would send one for itself.
  const TOUCHED = 'touched';

  function touch() {
    if (token === undefined || Date.now() - Number(sessionStorage[TOUCHED] ?? 0) < TOUCH_EVERY_MS) return;
    sessionStorage[TOUCHED] = Date.now();
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
  const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

  /** Why a question takes no press now, beside its button. */
  function whyOff(form) {
    if (sent) return '';
    if (lostAt !== undefined) return `No connection since ${hour.format(lostAt)}.`;
    if (choosing) return 'The question is being changed.';
    if (isReady(form)) return '';
    return questions.get(digestOf(form)).left > 0
      ? 'Waits a moment, so that you read it first.'
      : 'Waits until you let go of what you hold down.';
  }

  function settle() {
    const forms = decideForms();
    for (const form of forms) {
      const digest = digestOf(form);
      if (!questions.has(digest))
        questions.set(digest, { left: Number(form.dataset.settleMs), before: new Set(down) });
      const why = whyOff(form);
      for (const button of form.querySelectorAll('button.go')) button.disabled = sent || why !== '';
      for (const place of form.querySelectorAll('.why-off'))
        if (place.textContent !== why) place.textContent = why;
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

  // A form that was sent disables all, and says what it does, until the next page is here. A browser would lose what was
  // typed in a form that does not arrive, so it is sent once the server answers.
  const ANSWER_MS = 30_000;
  const REACH_MS = 8_000;
  const AGAIN_MS = 2_000;
  let reached;
  const reach = async () => {
    try {
      const signal = AbortSignal.timeout(REACH_MS);
      return (await fetch('/livez', { method: 'HEAD', cache: 'no-store', signal })).status < 500;
    } catch {
      return false;
    }
  };
  document.addEventListener('submit', async (event) => {
    const { target: form, submitter } = event;
    if (form.method !== 'post' || submitter?.formMethod === 'dialog') return;
    if (form === reached) return void (reached = undefined);
    event.preventDefault();
    // What no button sent is for the server to judge.
    if (sent || (submitter?.matches('.go') && !isReady(form))) return;
    sent = true;
    const again = working(submitter);
    if (form.dataset.passkey !== undefined && !(await answersWithPasskey(form))) return again();
    if (await reach()) {
      // The answer may get lost. Sent again, the form is the same decision.
      setTimeout(again, ANSWER_MS);
      reached = form;
      form.requestSubmit(submitter);
    } else {
      again();
      connected(false);
      void untilReached();
    }
  });

  /** Has the device answer with a passkey, and says why if it does not. */
  async function answersWithPasskey(form) {
    const place = document.querySelector('#passkey-said');
    place.textContent = await import(passkeys)
      .then(() => self.batchgatePasskey(form))
      .then(
        () => '',
        ({ message }) => message,
      );
    place.hidden = place.textContent === '';
    return place.hidden;
  }

  /** Disables all buttons, and says at one of them what it does. Returns what undoes it. */
  function working(submitter) {
    const buttons = [...document.querySelectorAll('form button:not([hidden])')].filter(
      (one) => !one.disabled,
    );
    const label = submitter?.innerHTML;
    for (const button of buttons) button.disabled = true;
    if (submitter?.dataset.busy) submitter.textContent = submitter.dataset.busy;
    settle();
    return () => {
      sent = false;
      for (const button of buttons) button.disabled = false;
      if (submitter) submitter.innerHTML = label;
      settle();
      readHeld();
    };
  }

  async function untilReached() {
    while (lostAt !== undefined && !(await reach()))
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    connected(true);
    htmx.trigger('#live', 'again');
  }

  // While the server cannot be reached, the page says so and nothing can be confirmed; what was chosen stays.
  function connected(isConnected, since = Date.now()) {
    if (isConnected === (lostAt === undefined)) return;
    lostAt = isConnected ? undefined : since;
    const place = document.querySelector('#connection');
    place.hidden = isConnected;
    place.textContent = isConnected
      ? ''
      : `Not connected since ${hour.format(lostAt)}. Nothing was sent, and nothing can be confirmed until the server answers again. What you chose and typed is kept.`;
    settle();
  }
  document.addEventListener('htmx:after:request', () => connected(true));
  document.addEventListener('batchgate:connected', () => connected(true));
  document.addEventListener('batchgate:silent', ({ detail: since }) => connected(false, since));
  // Whether the network matters shows when the page is read.
  for (const kind of ['online', 'offline'])
    window.addEventListener(kind, () => document.querySelector('#live') && htmx.trigger('#live', 'again'));

  // What could not be read is read again, or the page would show how things stood until the next change.
  const readAgain = (part) => htmx.trigger(part, 'failed');
  let leaving = false;
  const leave = () => {
    if (!leaving) location.reload();
    leaving = true;
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

  // What was filled in before a refusal stays when the page is read again, which knows nothing of it.
  for (const field of document.querySelectorAll('#live input, #live select, #live textarea')) {
    if (field.form?.method !== 'post' || field.matches('[type="hidden"], .part')) continue;
    if (field.matches('select')) field.selectedOptions[0].selected = true;
    else if (field.matches('[type="radio"], [type="checkbox"]')) field.checked = field.matches(':checked');
    else [field.value, field.defaultValue] = [field.value, ''];
  }

  // A page out of the browser's memory shows how things stood.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
})();
