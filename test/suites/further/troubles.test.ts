import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/troubles', 'long/large-operations', 'workflows/sentinel', 'workflows/task-run');
