import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'workflows/policies',
  'workflows/policy-facts',
  'workflows/ramps',
  'workflows/schedule',
  'workflows/approvals',
  'api/approvals',
  'api/bare-confirmations',
  'api/escalations',
  'api/records',
  'edges/records',
  'edges/item-proofs',
  'store/stats',
  'docs/public-names',
);
