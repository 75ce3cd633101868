// Behaviour that htmx lacks: ticks change the question, a press that comes too early does not count, forms wait for the
// server, and the page reports that it is in use.
(() => {
  'use strict';
  const TOUCH_EVERY_MS = 30_000;
  const token = document.querySelector('meta[name="form-token"]')?.content;
  const { passkeys } = document.currentScript.dataset;

  // Shared by the pages of a window, or each would send its own request.
  const TOUCHED = 'touched';

  function touch() {
    if (token === undefined || Date.now() - Number(sessionStorage[TOUCHED] ?? 0) < TOUCH_EVERY_MS) return;
    sessionStorage[TOUCHED] = Date.now();
    const headers = { 'x-batchgate-form-token': token };
    void fetch('/v1/touch', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
  }

  // A menu that a person opened stays open after a refresh.
  htmx.config.morphIgnore.push('open');
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, touch, { passive: true });

  // Hold an update while a pointer is pressed, or the press would end on another element, and while a form is sent.
  // Refresh the page afterwards.
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
      // Run after the click that this event ends.
      setTimeout(readHeld);
    });

  // A question takes no press before it has been visible for a while, nor from a key or pointer pressed before it came.
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

  /** The reason why a question takes no press now, which is shown beside its button. */
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
      // Cap the time between two ticks: nothing was read while the page did not run.
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
      // A press that came too early was not meant for this question, so its wait starts again.
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

  // Excluded items change the question. They are kept in the address, so that they survive Back and a reload.
  function keepChoice(form) {
    const live = document.querySelector('#live');
    const boxes = [...form.querySelectorAll('.part')];
    const asked = new URLSearchParams({ digest: digestOf(form) });
    for (const { checked, value } of boxes) if (checked) asked.append('keep', value);
    const query = boxes.every(({ checked }) => checked) ? '' : `?${asked}`;
    history.replaceState(history.state, '', `${live.getAttribute('hx-get')}${query}`);
  }
  // A response requested before the latest tick would undo that tick: discard it, and request the page again.
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

  // A sent form disables all buttons, and shows what it does, until the next page loads. A browser would lose the text
  // of a form that does not arrive, so the form is sent only after the server has answered a first request.
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
    // The server checks a form that was sent without a button.
    if (sent || (submitter?.matches('.go') && !isReady(form))) return;
    sent = true;
    const again = working(submitter);
    if (form.dataset.passkey !== undefined && !(await answersWithPasskey(form))) return again();
    if (await reach()) {
      // The response may get lost. The form is the same decision if it is sent again.
      setTimeout(again, ANSWER_MS);
      reached = form;
      form.requestSubmit(submitter);
    } else {
      again();
      connected(false);
      void untilReached();
    }
  });

  /** Asks the device for the answer of a passkey, and shows the reason if there is none. */
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

  /** Disables all buttons, and labels the pressed one with its effect. Returns a function that undoes this. */
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

  // While the server cannot be reached, the page shows so and nothing can be confirmed. Choices and text stay.
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
  // A refresh shows whether the server can still be reached.
  for (const kind of ['online', 'offline'])
    window.addEventListener(kind, () => document.querySelector('#live') && htmx.trigger('#live', 'again'));

  // Retry a failed refresh, or the page would be outdated until the next change.
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
    // The page is gone, or may no longer be read: a reload shows the reason.
    else if (status === 401 || (target.id === 'live' && [403, 404].includes(status))) leave();
  });

  // Keep the values that were filled in before a refusal: a refresh does not contain them.
  for (const field of document.querySelectorAll('#live input, #live select, #live textarea')) {
    if (field.form?.method !== 'post' || field.matches('[type="hidden"], .part')) continue;
    if (field.matches('select')) field.selectedOptions[0].selected = true;
    else if (field.matches('[type="radio"], [type="checkbox"]')) field.checked = field.matches(':checked');
    else [field.value, field.defaultValue] = [field.value, ''];
  }

  // A page from the back/forward cache is outdated.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
})();
