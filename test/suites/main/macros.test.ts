import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/macro', 'workflows/macro-transactions');
