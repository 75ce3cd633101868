import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/calendar.conformance');
