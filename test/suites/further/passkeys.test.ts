import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/passkey-troubles', 'api/passkey-registration', 'api/passkey-pages');
