import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/gmail.conformance', 'long/conformance-kit');
