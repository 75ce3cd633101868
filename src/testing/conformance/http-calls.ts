import type { HttpTap, SeenRequest, TapAnswer } from '../http-tap';
import type { ConformanceWorld, Fault, FaultRule, ProviderCall } from './subject';

/** A provider's answers for its refusals. The other faults are the same for every HTTP API. */
export type HttpRefusals = Readonly<
  Record<Exclude<Fault, 'malformed' | 'hollow' | 'reset' | 'silence'>, (request: SeenRequest) => TapAnswer>
>;

/** A success with JSON that matches no API. */
const MALFORMED: TapAnswer = { status: 200, body: '["surprise"]' };

/** The calls and the faults of a world with a tap in front of its provider. */
export function httpCalls(
  tap: HttpTap,
  classify: (request: SeenRequest) => ProviderCall | undefined,
  refusals: HttpRefusals,
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
