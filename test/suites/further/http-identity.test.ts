import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/open-id', 'api/stream-access', 'api/webhook-recipes');
