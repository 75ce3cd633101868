import { describeFiles } from '../../helpers/describe-files';

describeFiles('api/doors', 'mcp/confirming', 'mcp/stdio');
