import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/mcp-hostile', 'long/mcp-injection');
