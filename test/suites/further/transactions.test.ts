import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/macro-transactions', 'long/macro-transactions', 'long/many-transactions');
