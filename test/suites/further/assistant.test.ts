import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/assistant-answers',
  'workflows/assistant-bytes',
  'workflows/assistant-limits',
  'workflows/assistant-macros',
  'workflows/assistant-refusals',
  'workflows/assistant-slow-plans',
  'long/assistant-handover',
);
