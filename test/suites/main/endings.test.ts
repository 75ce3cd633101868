import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/endings');
