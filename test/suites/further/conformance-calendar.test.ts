import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/calendar.conformance');
