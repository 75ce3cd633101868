import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/demo', 'long/eval');
