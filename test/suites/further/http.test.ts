import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'api/access',
  'api/agent-rights',
  'api/assistant',
  'api/assistant-rights',
  'api/door-guards',
  'api/event-hub',
  'api/events',
  'api/forms',
  'api/edits',
  'api/idempotency',
  'api/leftovers',
  'api/limits',
  'api/plan-groups',
  'api/revising',
  'api/rows',
  'api/scheduled',
  'api/serve',
  'api/sign-in',
  'api/start-again',
  'api/typed',
);
