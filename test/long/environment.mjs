// Prints which environment variables batchgate and others read while `batchgate/client` and `batchgate` are imported.
const read = { by_batchgate: [], by_others: [] };
const note = (name) => {
  const [, , reader = ''] = new Error().stack.split('\n').slice(1);
  read[/[\\/]node_modules[\\/]batchgate[\\/]/.test(reader) ? 'by_batchgate' : 'by_others'].push(String(name));
};
process.env = new Proxy(process.env, {
  get: (env, name) => (note(name), env[name]),
  has: (env, name) => (note(name), name in env),
  ownKeys: (env) => (note('*'), Reflect.ownKeys(env)),
});
await import('batchgate/client');
await import('batchgate');
console.log(JSON.stringify(read));
