import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/operations', 'api/bare-confirmations', 'api/signed-decisions');
