import { describeFiles } from '../../helpers/describe-files';

describeFiles('faults/kills', 'faults/clients');
