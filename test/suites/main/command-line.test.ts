import { describeFiles } from '../../helpers/describe-files';

describeFiles('edges/command-line', 'edges/demo', 'edges/records', 'edges/say', 'edges/unseen');
