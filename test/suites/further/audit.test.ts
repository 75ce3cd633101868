import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'store/audit',
  'store/audit-approvals',
  'store/audit-tampering',
  'store/audit-forgeries.properties',
  'edges/audit',
  'edges/audit-claims',
);
