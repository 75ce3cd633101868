import type { Step } from '../../contract/macro';
import { oneLine } from '../shared/plain-text';
import { whatOf } from './trace';

/** The steps of a macro as lines for people, nested ones indented. `detailsOf`: the details after a line's subject. */
export function outlineOf(
  steps: readonly Step[],
  depth = 1,
  detailsOf: (step: Step) => string = () => '',
): string[] {
  const indent = '  '.repeat(depth);
  return steps.flatMap((step) => {
    const traits = [
      step.is_async ? 'beside the others' : '',
      step.continue_on_error ? 'may fail' : '',
    ].filter(Boolean);
    const trait = traits.length > 0 ? ` (${traits.join(', ')})` : '';
    const line = `${indent}${step.type} ${oneLine(whatOf(step))}${trait}${detailsOf(step)}`;
    const nested = (inner: readonly Step[]) => outlineOf(inner, depth + 1, detailsOf);
    if (step.type === 'loop') return [line, ...nested(step.steps)];
    if (step.type !== 'if') return [line];
    return [
      line,
      ...nested(step.then),
      ...(step.else?.length ? [`${indent}else`, ...nested(step.else)] : []),
    ];
  });
}
