import type { ErrorBody } from '../../contract/errors';
import { visibleText } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
import type { Fields } from './forms';
import { html, layout, nothing, prose, type Html } from './html';
import { typedWords } from './typed';
import { inWords } from './words';

/** An error in words: what is wrong, then what to do. */
export function notice(error: ErrorBody, title?: string, more?: Html): Html {
  const { said, remedy } = inWords(error);
  return html`<section class="notice bad" role="alert">
    ${title === undefined ? '' : html`<h2>${title}</h2>`} ${more === undefined ? '' : html`<p>${more}</p>`}
    <p>${prose(said)}</p>
    <p class="hint">${prose(remedy)}</p>
    ${detailsView(error)}
  </section>`;
}

/** The error of a job that stopped, as a part of its page. `said`: the page already shows what is wrong. */
export function troubleView(error: ErrorBody, { said = false } = {}): Html {
  const words = inWords(error);
  return html`<div class="reason">
    <p>${said ? nothing : html`<strong>Reason:</strong> ${prose(words.said)}`} ${prose(words.remedy)}</p>
    ${detailsView(error)}
  </div>`;
}

/** The code and the original text of an error, for technical people. */
function detailsView(error: ErrorBody): Html {
  const { code, message, hint } = error;
  return html`<details>
    <summary>Details</summary>
    ${inWords(error).isWhole ? '' : html`<p>${prose(visibleText(message))} ${prose(visibleText(hint))}</p>`}
    <p class="code">${code}</p>
  </details>`;
}

/**
 * `returnTo`: the page that opens after a sign-in through the identity provider. `form`: the form that met the error.
 */
export function errorPage(error: ErrorBody, principal?: Principal, returnTo?: string, form?: Fields): Html {
  const title = TITLES[error.code] ?? 'This did not work';
  return layout({
    title,
    principal,
    body: html`<h1>${title}</h1>
      ${notice(error)} ${form ? typedWords(form) : ''}
      ${principal ? html`<p><a href="/">Go to the inbox</a></p>` : ''}
      ${returnTo === undefined ? '' : html`<p><a class="button primary" href="/sign-in/oidc?return_to=${encodeURIComponent(returnTo)}">Sign in</a></p>`}`,
  });
}

const TITLES: Partial<Record<ErrorBody['code'], string>> = {
  UNAUTHORIZED: 'Please sign in',
  FORBIDDEN: 'You may not do this',
  NOT_FOUND: 'Nothing is here',
  STALE_CONFIRMATION: 'Another question is open now',
  OPERATION_CLOSED: 'The operation has ended',
  RATE_LIMITED: 'Too many requests',
  ADAPTER_UNAVAILABLE: 'The tool cannot be reached',
  TEMPORAL_UNAVAILABLE: 'The server cannot answer now',
};

/** A page that loads `url` again, so that the request comes from our own site. */
export const onceMorePage = (url: string): Html =>
  layout({
    title: 'One moment',
    head: html`<meta http-equiv="refresh" content="0; url=${url}" />`,
    body: html`<h1>One moment</h1>
      <p><a class="button primary" href="${url}">Open the page</a></p>`,
  });

/** `providerUrl`: the address that ends the session at the identity provider, which outlasts ours. */
export const signedOutPage = (providerUrl: string | undefined, byProvider: boolean): Html =>
  layout({
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
      ${
        providerUrl === undefined
          ? ''
          : html`<p>You are still signed in at your organisation's identity provider.</p>
              <p><a class="button primary" href="${providerUrl}">Sign out there too</a></p>`
      }
      ${
        byProvider
          ? html`<p><a class="button" href="/sign-in/oidc">Sign in again</a></p>`
          : html`<p>To sign in again, ask the person who runs batchgate for a new sign-in link.</p>
              <details>
                <summary>Details</summary>
                <p>Where batchgate runs, <code>npx batchgate link</code> prints one.</p>
              </details>`
      }`,
  });
