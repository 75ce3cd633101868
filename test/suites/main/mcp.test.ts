import { describeFiles } from '../../helpers/describe-files';

describeFiles('mcp/confirming', 'mcp/stdio');
