import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/conversation', 'workflows/sentinel', 'workflows/task-run');
