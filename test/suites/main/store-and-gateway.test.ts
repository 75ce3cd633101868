import { describeFiles } from '../../helpers/describe-files';

describeFiles('store/ledger', 'store/stats', 'store/tools', 'gateway/gateway');
