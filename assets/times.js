// Times in the reader's zone, and countdowns.
(() => {
  'use strict';
  const short = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
  const clock = new Intl.DateTimeFormat(undefined, short);
  const calendar = new Intl.DateTimeFormat(undefined, { ...short, year: 'numeric' });
  const { timeZone } = clock.resolvedOptions();
  const zoneName = /^(Etc\/)?UTC$/.test(timeZone)
    ? 'Coordinated Universal Time'
    : timeZone.split('/').at(-1).replaceAll('_', ' ');

  function showTimes(root) {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const at = new Date(time.dateTime);
      const isThisYear = at.getFullYear() === new Date().getFullYear();
      time.textContent = (isThisYear ? clock : calendar).format(at);
    }
    // Times that a person types are local, so convert those that are already filled in.
    for (const input of root.querySelectorAll('[data-instant]')) {
      const at = new Date(input.dataset.instant);
      const local = new Date(at - at.getTimezoneOffset() * 60_000).toISOString();
      input.value = local.slice(0, 19).replace(/:00$/, '');
    }
    for (const place of root.querySelectorAll('[data-zone]'))
      if (place.matches('input')) place.value = timeZone;
      else place.textContent = zoneName;
  }

  const UNITS = [
    [86_400_000, 'day', 'd'],
    [3_600_000, 'hour', 'h'],
    [60_000, 'minute', 'min'],
    [1_000, 'second', 's'],
  ];

  function leftUntil({ until, style }) {
    const ms = Date.parse(until) - Date.now();
    const [size, unit, short] = UNITS.find(([length]) => ms >= length) ?? [];
    if (unit === undefined) return 'no time';
    const count = Math.floor(ms / size);
    if (style === 'short') return `${count} ${short}`;
    return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }

  /** A question with less time is urgent. */
  const SOON_MS = 900_000;

  /** The minimum time between refreshes at a deadline, which may have moved without an event for a long list. */
  const READ_EVERY_MS = 20_000;
  let readAt = -Infinity;
  function readOnceOver({ until }) {
    const now = Date.now();
    if (document.hidden || Date.parse(until) > now || now - readAt < READ_EVERY_MS) return;
    readAt = now;
    if (document.querySelector('#live')) htmx.trigger('#live', 'again');
  }

  function countDown(root) {
    for (const time of root.querySelectorAll('[data-until]')) {
      if (time.isConnected) readOnceOver(time.dataset);
      const text = leftUntil(time.dataset);
      if (time.textContent !== text) time.textContent = text;
      time.classList.toggle('soon', Date.parse(time.dataset.until) - Date.now() < SOON_MS);
    }
  }

  const show = (root) => {
    showTimes(root);
    countDown(root);
  };
  show(document);
  setInterval(() => countDown(document), 1_000);
  document.addEventListener('visibilitychange', () => countDown(document));
  // Convert the update before the swap, so that unchanged text is neither replaced nor announced.
  document.addEventListener('htmx:before:swap', ({ detail }) => {
    for (const { fragment } of detail.tasks) show(fragment);
  });
})();
