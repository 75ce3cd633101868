import { describeFiles } from '../../helpers/describe-files';

describeFiles('replay/replay', 'replay/released');
