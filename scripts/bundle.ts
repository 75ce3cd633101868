import { bundleClientVerbs } from './bundle-client-verbs';
import { bundleWorkflows } from './bundle-workflows';

/** The second half of the build: the two bundles of what the compiler made. */
void Promise.all([bundleWorkflows(), bundleClientVerbs()]);
