import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'api/access',
  'api/assistant',
  'api/assistant-rights',
  'api/sign-in',
  'api/agent-rights',
  'api/assistant',
  'api/event-hub',
  'api/idempotency',
  'api/limits',
  'api/serve',
);
