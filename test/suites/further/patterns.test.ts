import { describeFiles } from '../../helpers/describe-files';

describeFiles('unit/patterns', 'unit/pumped-input');
