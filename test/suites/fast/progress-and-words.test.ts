import '../../helpers/property-budget';
import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'unit/exact-json',
  'unit/forgotten-notes',
  'unit/impossible-contracts',
  'unit/intent',
  'unit/intent.blind',
  'unit/intent.heldout',
  'unit/intent.properties',
  'unit/plain-secrets',
  'unit/listed-ids',
  'unit/page-words',
  'unit/plain-text',
  'unit/directions',
  'unit/presenter',
  'unit/progress',
  'unit/progress-caps',
  'unit/progress.properties',
  'unit/questions',
  'unit/redact',
  'unit/shown-secrets',
  'unit/spreadsheet',
  'unit/resolutions',
  'unit/selections',
  'unit/specification',
  'unit/text',
);
