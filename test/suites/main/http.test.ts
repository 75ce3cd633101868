import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/operations', 'api/gate-links', 'api/signed-decisions', 'api/passkeys');
