import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/derived-ids',
  'workflows/foreseen',
  'workflows/outside-ends',
  'workflows/resets',
  'workflows/unanswered-calls',
  'workflows/undo',
  'workflows/undo-talk',
  'workflows/edits',
  'workflows/edit-messages',
  'workflows/edited-batches',
);
