import type { SeenRequest, startHttpTap, TapAnswer } from '../http-tap';
import type { ConformanceWorld, FaultRule, ProviderCall } from './subject';

/** A success with JSON that matches no API. */
const MALFORMED: TapAnswer = { status: 200, body: '["surprise"]' };

/**
 * Returns the calls and the faults of a world with a tap in front of its provider. `classify` returns the kind of a
 * request, or undefined for any other request. `refusals`: the provider's answer for each refusal. The other faults are
 * the same for every HTTP API.
 *
 * @example
 * const world = { ...httpCalls(tap, classify, refusals), adapter, requests, matching, isChanged, close };
 */
export function httpCalls(
  tap: Awaited<ReturnType<typeof startHttpTap>>,
  classify: (request: SeenRequest) => ReturnType<ConformanceWorld['calls']>[number] | undefined,
  refusals: Readonly<
    Record<
      'limited' | 'broken' | 'missing' | 'refused',
      (request: SeenRequest) => {
        status: number;
        body: string;
        headers?: Readonly<Record<string, string>>;
      }
    >
  >,
): Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'> {
  const concerns = (rule: FaultRule, call: ProviderCall | undefined) =>
    call?.kind === rule.on && (rule.item_id === undefined || rule.item_id === call.item_id);
  return {
    calls: () => tap.requests.flatMap((request) => classify(request) ?? []),
    forgetCalls: () => tap.forget(),
    mostAtOnce: () => tap.most,
    fail(rule) {
      tap.rule =
        rule &&
        (async (request, forward) => {
          if (!concerns(rule, classify(request))) return forward();
          const { fault } = rule;
          if (fault === 'silence') return fault;
          if (fault === 'hollow') return MALFORMED;
          if (fault !== 'malformed' && fault !== 'reset') return refusals[fault](request);
          await forward();
          return fault === 'reset' ? fault : MALFORMED;
        });
    },
  };
}

/** The provider's answer for each refusal. */
export type HttpRefusals = Parameters<typeof httpCalls>[2];
