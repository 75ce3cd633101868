import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'store/access',
  'store/allowances',
  'store/hygiene',
  'store/editions',
  'store/ledger-races',
  'gateway/gateway-references',
  'gateway/gateway-results',
  'gateway/http-request',
  'faults/altered-ledger',
  'faults/call-limits',
  'faults/check',
);
