import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/outside-ends', 'workflows/resets', 'workflows/unanswered-calls', 'workflows/undo');
