import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/macro-kills', 'long/macro-long');
