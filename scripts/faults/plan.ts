import { seeded, shuffled } from '../../test/helpers/seeded';
import type { Moment } from './target';

/** The connections of the workers. */
export type LinkName = 'temporal' | 'database' | 'target';
/** `reset` closes connections, `silence` drops all data, `slow` delays it. */
export type NetworkFault = 'reset' | 'silence' | 'slow';
/** Messages to an operation, or to the sentinel, from foreign clients. */
export type HostileMessage =
  'undecodable signal' | 'undecodable update' | 'undecodable touch' | 'oversized signal';

export type Fault = { at: Trigger } & (
  | { kind: 'worker killed'; which: number | 'all'; fate: 'go' | 'drop' }
  | { kind: 'server killed' | 'database killed'; fate: 'go' | 'drop' }
  | { kind: 'worker overtaken' }
  | { kind: 'worker suspended'; which: number; ms: number }
  | { kind: 'server suspended'; ms: number }
  | { kind: 'network'; link: LinkName; fault: NetworkFault; ms: number }
  | { kind: 'message'; message: HostileMessage }
);
export type FaultKind = Fault['kind'];

/** A fault begins when a request waits at this moment, after `leaveOut` others; without a moment, none is held. */
interface Trigger {
  moment?: Moment;
  leaveOut: number;
}

/** The relative frequency of each kind. */
const SHARES: readonly [FaultKind, number][] = [
  ['worker killed', 40],
  ['server killed', 12],
  ['database killed', 12],
  ['worker suspended', 14],
  ['worker overtaken', 8],
  ['server suspended', 4],
  ['network', 18],
  ['message', 10],
];
export const FAULT_KINDS: readonly FaultKind[] = SHARES.map(([kind]) => kind);
/** The moments at which a request can be held. */
const HELD: readonly (Moment | undefined)[] = ['held', 'held', 'applied', 'applied', undefined];
const NETWORK: readonly NetworkFault[] = ['reset', 'silence', 'slow'];
const MESSAGES: readonly HostileMessage[] = [
  ...(['undecodable signal', 'undecodable update', 'undecodable touch', 'oversized signal'] as const),
];

/**
 * The faults of a run, determined by its seed: every kind, or those of `kinds`, in proportion to its share, and each at
 * least once if `count` permits.
 */
export function planFaults(
  count: number,
  seed: number,
  links: readonly LinkName[],
  workers = 2,
  kinds: readonly FaultKind[] = FAULT_KINDS,
): Fault[] {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least));
  const possible = SHARES.filter(
    ([kind]) =>
      kinds.includes(kind) &&
      (kind !== 'database killed' || links.includes('database')) &&
      (kind !== 'worker overtaken' || workers > 1),
  );
  const faultOf = (kind: FaultKind): Fault => {
    const at = { moment: pick(HELD), leaveOut: between(0, 12) };
    switch (kind) {
      case 'worker overtaken':
        return { kind, at: { leaveOut: 0 } };
      case 'worker killed':
        return { kind, at, which: pick(['all', between(0, workers)]), fate: pick(['go', 'drop']) };
      case 'worker suspended':
        return { kind, at, which: between(0, workers), ms: between(1_000, 7_000) };
      case 'server suspended':
        return { kind, at, ms: between(1_000, 3_000) };
      case 'network':
        return { kind, at, link: pick(links), fault: pick(NETWORK), ms: between(500, 4_000) };
      case 'message':
        return { kind, at, message: pick(MESSAGES) };
      default:
        return { kind, at, fate: pick(['go', 'drop']) };
    }
  };
  const rest = Math.max(0, count - possible.length);
  const total = possible.reduce((sum, [, share]) => sum + share, 0);
  const drawn = Array.from({ length: rest }, () => {
    let left = random() * total;
    return possible.find(([, share]) => (left -= share) < 0)?.[0] ?? 'worker killed';
  });
  const once = possible.map(([kind]) => kind);
  return shuffled([...once, ...drawn].slice(0, count), random).map(faultOf);
}
