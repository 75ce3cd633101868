import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/topology', 'long/temporal-server');
