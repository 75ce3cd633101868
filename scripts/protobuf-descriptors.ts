/** One node of protobufjs' JSON: a namespace, a message, an enum or a service. */
interface Descriptor {
  nested?: Record<string, Descriptor>;
  fields?: Record<string, { type: string; keyType?: string }>;
  methods?: Record<string, { requestType: string; responseType: string; options?: unknown }>;
  values?: Record<string, number>;
}

/**
 * The descriptions that some code can reach: the messages that it names in full (`temporal.api.…`), the requests and
 * answers of the methods that it calls, and the parts of all of these.
 */
export async function prunedDescriptors(path: string, code: string): Promise<Descriptor> {
  const { default: module } = (await import(path)) as { default: { toJSON(): Descriptor } };
  const all = JSON.parse(JSON.stringify(module.toJSON())) as Descriptor;
  const reached = new Set<string>();
  const called = new Set(Array.from(code.matchAll(/\.(\w+)\(/g), ([, name]) => (name ?? '').toLowerCase()));
  const keep = (name: string): void => {
    const match = resolved(all, name.split('.'));
    if (match === undefined || reached.has(match.name)) return;
    const { descriptor, name: full } = match;
    reached.add(full);
    const within = (type: string) => keep(absolute(all, full, type));
    for (const { type, keyType } of Object.values(descriptor.fields ?? {}))
      [type, keyType].forEach((it) => it !== undefined && within(it));
    for (const [name, method] of Object.entries(descriptor.methods ?? {})) {
      // The options define how to call the method over HTTP.
      delete method.options;
      if (called.has(name.toLowerCase())) [method.requestType, method.responseType].forEach(within);
      else delete descriptor.methods?.[name];
    }
    for (const [inner, child] of Object.entries(descriptor.nested ?? {}))
      if (child.values) keep(`${full}.${inner}`);
  };
  for (const [name] of code.matchAll(/\b(?:temporal|google|grpc)(?:\.\w+){2,}/g)) keep(name);
  return only(all, '', reached) ?? {};
}

/** The longest known prefix of a dotted path; the other parts are members of it. */
function resolved(all: Descriptor, parts: string[]): { name: string; descriptor: Descriptor } | undefined {
  let descriptor = all;
  const path: string[] = [];
  for (const part of parts) {
    const child = descriptor.nested?.[part];
    if (child === undefined) break;
    descriptor = child;
    path.push(part);
  }
  const isNamespace = !descriptor.fields && !descriptor.values && !descriptor.methods;
  return isNamespace ? undefined : { name: path.join('.'), descriptor };
}

/** Resolves a name by protobuf's rules: in the message itself, then outwards. */
function absolute(all: Descriptor, from: string, type: string): string {
  const bare = type.replace(/^\./, '');
  for (let scope = type.startsWith('.') ? [] : from.split('.'); ; scope = scope.slice(0, -1)) {
    const name = [...scope, bare].join('.');
    if (resolved(all, name.split('.'))?.name === name) return name;
    if (scope.length === 0) return bare;
  }
}

function only(descriptor: Descriptor, name: string, reached: ReadonlySet<string>): Descriptor | undefined {
  const nested = Object.entries(descriptor.nested ?? {})
    .map(([inner, child]) => [inner, only(child, name === '' ? inner : `${name}.${inner}`, reached)] as const)
    .filter((entry): entry is readonly [string, Descriptor] => entry[1] !== undefined);
  if (!reached.has(name) && nested.length === 0) return undefined;
  const own = reached.has(name) ? descriptor : {};
  const { nested: _all, ...rest } = own;
  return nested.length === 0 ? rest : { ...rest, nested: Object.fromEntries(nested) };
}
