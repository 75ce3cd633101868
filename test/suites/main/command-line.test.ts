import { describeFiles } from '../../helpers/describe-files';

describeFiles('edges/command-line', 'edges/demo', 'edges/say', 'edges/unseen');
