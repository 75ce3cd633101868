import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/adapters',
  'edges/client-verbs',
  'edges/completion',
  'edges/contract-verbs',
  'edges/item-files',
  'edges/approvals',
  'edges/later',
  'edges/lock',
  'edges/mistakes',
  'edges/policies',
  'edges/resume',
  'edges/task-runs',
  'edges/verbs-and-kinds',
  'edges/macro-progress',
  'edges/macro-rows',
);
