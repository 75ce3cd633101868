import { runProcess } from './program';
import { VERBS } from './verbs';

runProcess(VERBS, process.argv.slice(2));
