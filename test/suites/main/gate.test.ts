import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/lifecycle', 'workflows/decisions', 'workflows/plain-clients');
