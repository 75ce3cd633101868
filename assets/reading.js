// An update does not move the text in view, the bar does not cover the focused element, and keys move among items.
(() => {
  'use strict';
  const READABLE = 'h1, h2, h3, p, li, tr, dt, dd, legend, label, summary, pre, button, input, select';
  const live = () => document.querySelector('#live');

  /** The readable elements. A key contains the number of equal elements so far, so that it is unique. */
  function readable() {
    const seen = new Map();
    return [...(live()?.querySelectorAll(READABLE) ?? [])]
      .filter((one) => !one.closest('.decision-bar, [hidden]'))
      .map((one) => {
        const text = `${one.tagName} ${one.id} ${one.textContent.trim().replace(/\s+/g, ' ')}`;
        seen.set(text, (seen.get(text) ?? 0) + 1);
        return { one, key: `${seen.get(text)} ${text}` };
      });
  }

  let inSight = [];
  document.addEventListener('htmx:before:swap', () => {
    inSight = [];
    // A page that is not scrolled shows new content at its top.
    if (scrollY === 0 && !live()?.style.marginTop) return;
    for (const { one, key } of readable()) {
      const { top, bottom } = one.getBoundingClientRect();
      if (bottom > 0 && top < innerHeight && bottom > top) inSight.push({ key, top });
    }
    // The topmost first, in reading order.
    inSight.sort((a, b) => a.top - b.top);
  });

  document.addEventListener('htmx:after:swap', () => {
    const now = new Map(readable().map(({ one, key }) => [key, one]));
    const kept = inSight.find(({ key }) => now.has(key));
    if (!kept) return;
    const wanted = scrollY + now.get(kept.key).getBoundingClientRect().top - kept.top;
    // A page that became shorter needs more room to scroll to that position.
    const { style } = live();
    style.marginTop = wanted < 0 ? `${-wanted}px` : '';
    const short = wanted + innerHeight - document.documentElement.scrollHeight;
    style.paddingBottom = short > 0 ? `${short}px` : '';
    scrollTo({ top: Math.max(0, wanted), behavior: 'instant' });
  });

  // Scroll an element that gets the focus to a place that the bar does not cover.
  const bar = new ResizeObserver(([{ target }]) => {
    document.documentElement.style.scrollPaddingBottom = `${target.offsetHeight + 8}px`;
  });
  const watchBar = () => {
    bar.disconnect();
    const one = document.querySelector('.decision-bar');
    if (one) bar.observe(one);
    else document.documentElement.style.scrollPaddingBottom = '';
  };
  watchBar();
  document.addEventListener('htmx:after:swap', watchBar);
  document.addEventListener('focusin', ({ target }) => {
    const one = document.querySelector('.decision-bar');
    // Do not scroll for a focus by pointer.
    if (!one || one.contains(target) || !target.matches(':focus-visible')) return;
    const hidden = target.getBoundingClientRect().bottom - one.getBoundingClientRect().top;
    if (hidden > 0 && target.getBoundingClientRect().top < one.getBoundingClientRect().bottom)
      scrollBy(0, hidden + 8);
  });

  // j and k move among rows or items, o opens a row, x leaves an item out. No key decides.
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || target.matches('textarea, select, input:not([type="checkbox"])'))
      return;
    const stops = [...document.querySelectorAll('a.row, .part')].filter((one) => one.checkVisibility());
    const at = stops.indexOf(document.activeElement);
    if (key === 'j') stops[at + 1]?.focus();
    else if (key === 'k') stops[at - 1]?.focus();
    else if (key === 'o' && stops[at]?.matches('a')) stops[at].click();
    else if (key === 'x' && stops[at]?.matches('.part')) stops[at].click();
  });
})();
