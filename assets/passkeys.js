// Asks the person's device to create or use a passkey, and puts its response into the form (docs/passkeys.md).
self.batchgatePasskey = async (form) => {
  'use strict';
  const { startAuthentication, startRegistration } = self.SimpleWebAuthnBrowser;
  const { passkey: address, passkeyOrigin: origin } = form.dataset;
  if (location.origin !== origin)
    throw new Error(`Passkeys work at ${origin} only. Open this page there, and sign in.`);
  const response = await fetch(address, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  const optionsJSON = await response.json();
  if (!response.ok) throw new Error(`${optionsJSON.message} ${optionsJSON.hint}`);
  const start = 'rp' in optionsJSON ? startRegistration : startAuthentication;
  const answer = await start({ optionsJSON }).catch((cause) => {
    throw new Error(
      cause.name === 'InvalidStateError'
        ? 'This device has a passkey of yours already.'
        : 'Your device did not answer: it was cancelled, took too long, or has no passkey for this. Nothing was sent.',
      { cause },
    );
  });
  const made = Object.assign(document.createElement('input'), { type: 'hidden', name: 'passkey' });
  const field = form.elements.passkey ?? form.appendChild(made);
  field.value = JSON.stringify(answer);
};
