import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/open-id', 'api/open-id-groups', 'api/stream-access', 'api/webhook-recipes');
