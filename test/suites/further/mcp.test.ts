import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'mcp/cancelled-calls',
  'mcp/door',
  'mcp/endings',
  'mcp/errors',
  'mcp/http',
  'mcp/resources',
  'mcp/revising',
  'mcp/task-runs',
  'mcp/slow-plans',
  'mcp/tools',
);
