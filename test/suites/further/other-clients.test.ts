import { describeFiles } from '../../helpers/describe-files';

describeFiles('long/mcp-clients', 'long/python-agent', 'long/python-client', 'long/python-dialogues');
