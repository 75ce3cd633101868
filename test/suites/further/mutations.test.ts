import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/mutations');
