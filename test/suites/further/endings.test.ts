import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/outside-ends', 'workflows/unanswered-calls', 'workflows/undo');
