import { z } from 'zod';
import { macroSchema } from '../../contract/macro';

/** The JSON Schema of macro files, for editors: what `macro.schema.json` of the package holds. */
export function macroJsonSchema(): object {
  return {
    ...z.toJSONSchema(macroSchema, { io: 'input' }),
    title: 'batchgate macro',
    description: 'A script of steps; see docs/macros.md.',
    allowComments: true,
    allowTrailingCommas: true,
  };
}
