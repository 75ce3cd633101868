import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'api/operations',
  'api/records',
  'api/bare-confirmations',
  'api/gate-links',
  'api/signed-decisions',
);
