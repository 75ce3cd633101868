import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchgateError } from '../../../src/contract/errors';
import { sentences } from '../../../src/core/shared/plain-text';

const HOST = '127.0.0.1';

export interface Loopback {
  /** The address to which the provider redirects the browser. */
  readonly redirectUri: string;
  /**
   * Waits for the redirect, and shows the result of `handle` in the browser.
   * @throws BatchgateError `CREDENTIALS_INVALID` when none arrives in time; errors of `handle`.
   */
  receive<T>(waitMs: number, handle: (query: URLSearchParams) => Promise<T>): Promise<T>;
  close(): void;
}

interface Visit {
  query: URLSearchParams;
  response: ServerResponse;
}

/**
 * Listens on a free loopback port for the redirect that ends an authorization (RFC 8252, section 7.3). It accepts the
 * first GET of `/` with a code or an error, and answers 404 to everything else.
 */
export async function openLoopback(): Promise<Loopback> {
  let take: (visit: Visit) => void = () => undefined;
  const first = new Promise<Visit>((resolve) => (take = resolve));
  let taken = false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${HOST}`);
    const isAnswer = url.searchParams.has('code') || url.searchParams.has('error');
    if (taken || request.method !== 'GET' || url.pathname !== '/' || !isAnswer) {
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    taken = true;
    take({ query: url.searchParams, response });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, HOST, resolve);
  });
  return {
    redirectUri: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    async receive(waitMs, handle) {
      const { query, response } = await within(waitMs, first);
      try {
        const result = await handle(query);
        await showPage(response, 200, 'You are logged in', 'You may close this page.');
        return result;
      } catch (error) {
        const text =
          error instanceof BatchgateError ? sentences(error.message, error.hint) : 'See the terminal.';
        await showPage(response, 400, 'You are not logged in', text);
        throw error;
      }
    },
    close() {
      server.close();
      // Browsers open spare connections, which would keep the process alive.
      server.closeAllConnections();
    },
  };
}

async function within(waitMs: number, first: Promise<Visit>): Promise<Visit> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(noAnswer(waitMs)), waitMs);
  });
  return Promise.race([first, timeout]).finally(() => clearTimeout(timer));
}

function showPage(response: ServerResponse, status: number, title: string, text: string): Promise<void> {
  const [safeTitle, safeText] = [title, text].map(escapeHtml);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${safeTitle}</title><h1>${safeTitle}</h1><p>${safeText}</p></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  return new Promise((resolve) => {
    // The user may already have closed the page.
    response.once('close', resolve);
    response.end(html, resolve);
  });
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const noAnswer = (waitMs: number) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `No login arrived within ${Math.round(waitMs / 60_000)} minutes; nothing was stored.`,
    'Run it again, and open the page in a browser on this machine.',
  );
