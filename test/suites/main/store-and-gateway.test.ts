import { describeFiles } from '../../helpers/describe-files';

describeFiles('store/ledger', 'store/ledger-clocks', 'store/tools', 'gateway/gateway', 'workflows/audit');
