import { describeFiles } from '../../helpers/describe-files';

describeFiles('workflows/derived-ids', 'workflows/endings', 'workflows/undo');
