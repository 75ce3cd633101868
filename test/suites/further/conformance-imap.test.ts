import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/imap.conformance', 'adapters/imap', 'adapters/imap-access');
