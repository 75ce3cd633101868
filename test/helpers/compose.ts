/** The parts of docker-compose.yml that the promises cover. */
export interface Compose {
  services: Record<string, ComposeService>;
  volumes?: Record<string, unknown>;
}
export interface ComposeService {
  image?: string;
  build?: unknown;
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test?: string[] };
  depends_on?: Record<string, { condition: string }>;
  restart?: string;
  deploy?: { replicas?: string | number };
  user?: string;
  privileged?: boolean;
}

const SECRET = /PASSWORD|PWD|TOKEN|SECRET|KEY/;
/** Required, with an error message that explains how to set it, or optional and empty. */
const FROM_OUTSIDE = /^\$\{\w+(:\?.{10,}|:-)\}$/;
/** A port of this machine, and one of the container; each may be a variable with a default. */
const LOOPBACK = /^127\.0\.0\.1:(?:\$\{\w+:-\d+\}|\d+):(?:\$\{\w+:-\d+\}|\d+)$/;
export const PINNED = /^[a-z0-9./-]+:\d+\.\d+(\.\d+)?[a-z0-9.-]*$/;

/** Checks docker-compose.yml's promises beyond the compose specification's schema, and returns the violations. */
export function brokenPromises({ services, volumes = {} }: Compose): string[] {
  const names = Object.keys(services);
  const isOneShot = (name: string) => services[name]?.restart === 'no';
  const broken: string[] = [];
  for (const [name, service] of Object.entries(services)) {
    const say = (what: string) => broken.push(`${name}: ${what}`);
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      if (SECRET.test(variable) && !FROM_OUTSIDE.test(value)) say(`${variable} is in the file`);
      if (/\/\/[^/@]*:[^/@]*@/.test(value)) say(`${variable} has a password in its address`);
    }
    for (const port of service.ports ?? []) {
      if (!LOOPBACK.test(port)) say(`port ${port} is not on loopback`);
    }
    if (service.build === undefined && !PINNED.test(service.image ?? '')) say('its image is not pinned');
    if (service.privileged === true || service.user === 'root') say('it has more rights than it needs');
    if (isOneShot(name)) {
      const awaited = names.some(
        (other) => services[other]?.depends_on?.[name]?.condition === 'service_completed_successfully',
      );
      if (!awaited) say('nothing waits for its end');
    } else {
      if (service.restart !== 'unless-stopped') say('it does not come back after a crash');
      if (service.healthcheck?.test === undefined) say('it has no healthcheck');
    }
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      const required = isOneShot(needed) ? 'service_completed_successfully' : 'service_healthy';
      if (condition !== required) say(`it does not wait until ${needed} is ready`);
    }
    const works = service.build !== undefined && service.environment?.['TEMPORAL_NAMESPACE'] !== undefined;
    if (works && !service.depends_on?.['temporal-namespace'])
      say('it does not wait until its namespace is there');
    for (const volume of service.volumes ?? []) {
      const source = volume.split(':')[0] ?? '';
      const isKnown = source in volumes || (source.startsWith('./deploy/') && volume.endsWith(':ro'));
      if (!isKnown || !volume.includes(':')) say(`volume ${volume} has no name`);
    }
  }
  if (!/^\$\{BATCHGATE_WORKERS:-\d+\}$/.test(String(services['worker']?.deploy?.replicas)))
    broken.push('worker: how many there are is not a variable');
  if (!(services['postgres']?.volumes ?? []).some((volume) => (volume.split(':')[0] ?? '') in volumes))
    broken.push('postgres: its data is in no named volume');
  return broken;
}
