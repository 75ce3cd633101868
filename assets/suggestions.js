// Requests the suggested values of a field from its tool when the field gets the focus.
(() => {
  'use strict';
  const asked = new Map();

  /** The address of the suggestions, with the fields on which they may depend, such as the board of a list. */
  const askedOf = (input) => {
    const query = new URLSearchParams({ parameter: input.name });
    for (const other of input.form.querySelectorAll('[data-suggest]'))
      if (other !== input && other.value !== '') query.append(`param.${other.name}`, other.value);
    return `${input.dataset.suggest}?${query}`;
  };

  document.addEventListener('focusin', async ({ target: input }) => {
    if (!input.dataset?.suggest) return;
    const address = askedOf(input);
    if (asked.get(input) === address) return;
    asked.set(input, address);
    const answer = await fetch(address).catch(() => undefined);
    if (!answer?.ok || asked.get(input) !== address) return;
    const options = (await answer.json()).map((value) =>
      Object.assign(document.createElement('option'), { value }),
    );
    input.list.replaceChildren(...options);
  });
})();
