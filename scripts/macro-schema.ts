import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { macroJsonSchema } from '../src/core/macro/parse';

writeFileSync(join(__dirname, '../macro.schema.json'), `${JSON.stringify(macroJsonSchema(), null, 2)}\n`);
