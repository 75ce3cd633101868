import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/parts-of-a-batch',
  'workflows/session-memory',
  'workflows/many-slots',
  'workflows/hygiene',
  'workflows/hygiene-markers',
  'workflows/webhook-patience',
  'workflows/follow-ups',
  'workflows/webhooks',
  'workflows/webhook-receivers',
  'workflows/webhook-history',
);
