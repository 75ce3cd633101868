import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'unit/macro-condition',
  'unit/macro-examples',
  'unit/macro-held',
  'unit/macro-limits',
  'unit/macro-machine',
  'unit/macro-machine.properties',
  'unit/macro-proposal',
  'unit/macro-rows.properties',
  'unit/macro-sizes',
  'unit/macro-template.properties',
  'unit/macro-transactions',
  'unit/macro-validate',
);
