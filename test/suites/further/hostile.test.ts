import { describeFiles } from '../../helpers/describe-files';

describeFiles('mcp/door-guards', 'long/mcp-hostile', 'long/mcp-injection');
