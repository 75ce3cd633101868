import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'adapters/edits',
  'adapters/sql',
  'adapters/sql.conformance',
  'adapters/sql-access',
  'adapters/sql-execute',
  'adapters/sql-faults',
  'adapters/sql-frozen',
  'adapters/sql-injection',
  'adapters/sql-file-values',
  'adapters/sql-insert',
  'adapters/sql-names',
  'adapters/sql-outcomes',
  'adapters/sql-references',
  'adapters/sql-undo',
  'adapters/sql-values',
);
