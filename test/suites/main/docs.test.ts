import { describeFiles } from '../../helpers/describe-files';

describeFiles('docs/docs', 'docs/names');
