import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/gmail.conformance', 'long/conformance-kit');
