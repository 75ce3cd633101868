import { bundleClientVerbs } from './bundle-client-verbs';
import { bundleWorkflows } from './bundle-workflows';
import { outlineVerbs } from './outline-verbs';

/** The second half of the build: files made from the compiler's output. */
void Promise.all([bundleWorkflows(), bundleClientVerbs(), outlineVerbs()]);
