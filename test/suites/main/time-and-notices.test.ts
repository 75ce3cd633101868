import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/time', 'workflows/bare-confirmations');
