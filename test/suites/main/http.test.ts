import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/operations', 'api/bare-confirmations', 'api/gate-links', 'api/signed-decisions');
