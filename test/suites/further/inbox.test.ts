import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/inbox', 'api/events');
