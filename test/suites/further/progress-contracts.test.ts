import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/progress-contracts',
  'unit/canonical',
  'unit/macro-machine.properties',
  'unit/define-adapter',
  'unit/preview-properties',
  'unit/lifecycle.properties',
  'unit/ramp.properties',
  'unit/payload-bounds.properties',
  'unit/task-run-bounds',
  'unit/progress-caps',
  'unit/intent.properties',
);
