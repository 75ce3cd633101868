import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/network', 'long/supervised');
