import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/doors', 'unit/commands', 'mcp/confirming', 'mcp/passing-on', 'mcp/stdio');
