// One stream for all visible windows of a browser, which opens few connections to a server. It runs in a shared worker,
// or else in one of the windows. A window sends `{ stream, on, mark }`: the address of its stream, its content, and the
// position of the stream when the content was read. A hidden window omits `on`.
(() => {
  'use strict';
  /** The delay in which windows that come and go together change the stream once. */
  const TOGETHER_MS = 30;
  const AGAIN_MS = { first: 500, last: 5_000 };
  /** A stream is lost after this many heartbeat intervals without a message. The server sends the interval. */
  const MISSED = 2.5;
  const BEAT_MS = 15_000;
  /** The server's maximum. Windows that ended without a message are the oldest, so they are left out first. */
  const MOST = 50;
  const streams = new Map();

  function createStream(address) {
    const windows = new Map();
    // The last is the newest. Until it opens, the others deliver the changes.
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
    /** Handles an open stream without messages. If it never had one, windows can only refresh their pages. */
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
          // The window may show something else by now.
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
        // The end of a stream is no failure. A stream that cannot be reopened is.
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
        // A change of the mark alone takes effect when the stream is reopened.
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

  // In a window. With locks and broadcast channels, one window runs the stream for all. Without, each runs its own.
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
