import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/faults', 'long/fault-runner');
