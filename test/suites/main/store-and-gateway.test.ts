import { describeFiles } from '../../helpers/describe-files';

describeFiles('store/ledger', 'store/tools', 'gateway/gateway', 'workflows/audit');
