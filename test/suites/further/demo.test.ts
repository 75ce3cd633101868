import { describeFiles } from '../../helpers/describe-files';

describeFiles('edges/demo', 'long/demo', 'long/eval');
