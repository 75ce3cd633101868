import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/caldav.conformance', 'adapters/caldav', 'adapters/caldav-access');
