/** A press of a question's button whose form the browser sent. */
export interface Press {
  /** The question. */
  digest: string;
  /** The time at which its form was sent, in milliseconds since 1970. */
  at: number;
  /** The time for which the question had been on this page at the press. Milliseconds. */
  seen_ms: number;
}

/**
 * Records, in `localStorage.presses`, the forms that are sent in the windows of a profile. It is independent of the
 * page's own script, which may hold a press back until the server answers. It also blocks signing out of all windows.
 */
export const BESIDE_THE_PAGE = `(() => {
  const since = new Map();
  const look = () => {
    // A page on its way may have the form without its fields.
    const forms = [...document.querySelectorAll('form.decide')];
    const digests = forms.map((form) => form.elements.digest?.value).filter((digest) => digest !== undefined);
    for (const digest of since.keys()) if (!digests.includes(digest)) since.delete(digest);
    for (const digest of digests) if (!since.has(digest)) since.set(digest, performance.now());
  };
  new MutationObserver(look).observe(document, {
    childList: true, subtree: true, attributes: true, attributeFilter: ['value'],
  });
  const held = new Map();
  addEventListener('submit', ({ target: form, submitter, defaultPrevented }) => {
    if (!form.matches('form.decide') || submitter?.formMethod === 'dialog') return;
    const digest = form.elements.digest.value;
    const now = performance.now() - (since.get(digest) ?? performance.now());
    if (defaultPrevented) return void held.set(digest, now);
    const press = { digest, at: Date.now(), seen_ms: Math.round(held.get(digest) ?? now) };
    localStorage.presses = JSON.stringify([...JSON.parse(localStorage.presses ?? '[]'), press]);
  });
  addEventListener('submit', (event) => {
    if (!event.target.action.endsWith('/sign-out')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
})()`;
