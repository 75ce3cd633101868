/** Names by which third parties might change the meaning of a page: 200 of them, all different. */
const KINDS: ((at: number) => string)[] = [
  (at) => `<script>document.title='owned ${at}'</script>`,
  (at) => `<img src=x onerror="document.body.textContent='${at}'">`,
  (at) =>
    `</span></label></li></ol></form><form action="/operations/x/cancel"><button>Continue with ${at} items</button>`,
  (at) => `<button class="primary go">Continue with ${at} items</button>`,
  (at) => `"><h1>Delete everything ${at}</h1>`,
  (at) => `' autofocus onfocus='alert(${at})' x='`,
  (at) => `\u202egpj.${at}exe`,
  (at) => `\u2066\u2067${at} isolated\u2069`,
  (at) => `\u001b[31mred ${at}\u001b[0m\u001b[2J`,
  (at) => `${'wide '.repeat(90)}${at}`,
  (at) => `${'W'.repeat(480)}${at}`,
  (at) => `Item ${at}\u200b\u200d\ufeff`,
  (at) => `\${7*7} {{${at}}} <%= 1 %> \`tick\``,
  (at) => `${'ten thousand '.repeat(770)}${at}`,
  (at) => `<style>*{display:none}</style>${at}`,
  (at) => `<meta http-equiv="refresh" content="0;url=/${at}">`,
  (at) => `<a href="javascript:alert(${at})">Can be undone.</a>`,
  (at) => `Z${'\u0300\u0301\u0302\u0303'.repeat(100)}algo ${at}`,
  (at) => `<input name="keep" value="${at}"><input name="digest" value="0">`,
  (at) => `hx-get=/ <div hx-post="/operations/x/continue" hx-trigger="load">${at}</div>`,
  (at) => `&lt;b&gt;${at}&#x202e;&amp;`,
];

export const forgedNames = Array.from({ length: 200 }, (_, at) => KINDS[at % KINDS.length]?.(at + 1) ?? '');
