// One stream for all visible windows of a browser, which has few connections to a server. This runs in a shared worker,
// or else in one of the windows. A window sends `{ stream, on, mark }`: what it shows, and since when; without `on` while
// it is hidden.
(() => {
  'use strict';
  /** Windows that come and go together change the stream once. */
  const TOGETHER_MS = 30;
  const AGAIN_MS = { first: 500, last: 5_000 };
  /** Two of its signs of life are missing, which come as often as the server says. */
  const MISSED = 2.5;
  const BEAT_MS = 15_000;
  /** As many as the server takes. A window that ended without a word is behind all that live. */
  const MOST = 50;
  const streams = new Map();

  function createStream(address) {
    const windows = new Map();
    // The newest is the last. Those before it serve until it is open.
    const sources = [];
    let [timer, wait] = [undefined, AGAIN_MS.first];
    let [watch, every, heardAt] = [undefined, BEAT_MS, undefined];
    const tellAll = (event, data) => {
      for (const port of windows.keys()) port.postMessage({ event, data });
    };
    const close = (count) => {
      for (const source of sources.splice(0, count)) source.close();
    };
    const listen = () => {
      clearTimeout(watch);
      watch = setTimeout(silent, MISSED * every);
    };
    const heard = () => {
      heardAt = Date.now();
      listen();
    };
    /** Nobody closed it, and nothing comes. Where none comes at all, a window can only read its page. */
    function silent() {
      const lived = heardAt !== undefined;
      tellAll(lived ? 'silent' : 'failed', heardAt);
      close(sources.length);
      heardAt = undefined;
      if (lived) return open();
      later(wait);
      wait = Math.min(2 * wait, AGAIN_MS.last);
    }
    const later = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(open, ms);
    };

    function open() {
      const ports = [...windows.keys()].reverse().slice(0, MOST);
      const ons = ports.map((port) => windows.get(port).on);
      if (ports.length === 0) {
        clearTimeout(watch);
        return close(sources.length);
      }
      const shown = new URLSearchParams(
        ports.map((port) => windows.get(port)).map(({ on, mark }) => ['on', `${on}&${mark}`]),
      );
      const opened = new EventSource(`${address}?${shown}`);
      sources.push(opened);
      listen();
      const isNewest = () => sources.at(-1) === opened;
      const closeOlder = () => close(Math.max(0, sources.indexOf(opened)));
      opened.onopen = closeOlder;
      let isNew = true;
      opened.addEventListener('beat', ({ data }) => {
        every = JSON.parse(data).every_ms;
        if (isNew) tellAll('connected');
        isNew = false;
        heard();
      });
      opened.onmessage = ({ data }) => {
        heard();
        wait = AGAIN_MS.first;
        const { at, event, data: more } = JSON.parse(data);
        const port = ports[at];
        if (event === 'end') {
          // By now it may show something else.
          if (windows.get(port)?.on === ons[at]) windows.delete(port);
        } else if (windows.has(port)) port.postMessage({ event, data: more });
      };
      opened.addEventListener('end', () => {
        opened.close();
        if (isNewest()) clearTimeout(watch);
      });
      opened.onerror = () => {
        closeOlder();
        opened.close();
        if (!isNewest()) return;
        clearTimeout(watch);
        heardAt = undefined;
        // Its end alone says nothing: what cannot be opened again does.
        if (wait > AGAIN_MS.first) tellAll('failed');
        later(wait);
        wait = Math.min(2 * wait, AGAIN_MS.last);
      };
    }

    return {
      show(port, { on, mark }) {
        const before = windows.get(port);
        windows.delete(port);
        if (on !== undefined) windows.set(port, { on, mark });
        // The mark alone matters when the stream is opened again.
        if (before?.on !== on) later(TOGETHER_MS);
      },
    };
  }

  function attach(port) {
    let last;
    port.onmessage = ({ data: { stream = last, ...shown } }) => {
      if (stream === undefined) return;
      last = stream;
      if (!streams.has(stream)) streams.set(stream, createStream(stream));
      streams.get(stream).show(port, shown);
    };
  }

  if ('onconnect' in self) {
    self.onconnect = ({ ports: [port] }) => attach(port);
    return;
  }

  // In a window. Where the browser lets windows agree, one of them has the stream of all, and else each has its own.
  self.batchgateStreams = (receive) => {
    if (!navigator.locks || !self.BroadcastChannel) {
      const { port1, port2 } = new MessageChannel();
      attach(port2);
      port1.onmessage = ({ data }) => receive(data);
      return port1;
    }
    const me = crypto.randomUUID();
    const bus = new BroadcastChannel('batchgate');
    let shown = {};
    let leave;
    const say = () => bus.postMessage({ from: me, shown });
    bus.onmessage = ({ data }) => {
      if (data.to === me) receive(data.told);
      else if (data.asks) say();
    };
    const lead = () =>
      new Promise((resolve) => {
        const hall = new BroadcastChannel('batchgate');
        const ports = new Map();
        hall.onmessage = ({ data: { from, shown: what } }) => {
          if (from === undefined) return;
          if (!ports.has(from))
            ports.set(from, { postMessage: (told) => hall.postMessage({ to: from, told }) });
          const port = ports.get(from);
          if (!port.onmessage) attach(port);
          port.onmessage({ data: what });
        };
        leave = () => {
          for (const port of ports.values()) port.onmessage({ data: {} });
          hall.close();
          resolve();
        };
        hall.postMessage({ asks: true });
      });
    const stand = () => {
      const given = new AbortController();
      leave = () => given.abort();
      navigator.locks.request('batchgate', { signal: given.signal }, lead).catch(() => undefined);
    };
    return {
      postMessage(what) {
        shown = what;
        say();
        if (what.on === undefined) leave = leave?.();
        else if (leave === undefined) stand();
      },
    };
  };
})();
