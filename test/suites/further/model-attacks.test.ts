import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/assistant-injection', 'long/assistant-red-team');
