import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/pages');
