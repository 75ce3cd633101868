import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/image',
  'unit/assistant-bounds',
  'unit/assistant-clock',
  'unit/assistant-ends',
  'unit/assistant-history.properties',
  'unit/assistant-place',
  'unit/assistant.properties',
  'unit/eval-judge',
  'unit/gateway.properties',
  'unit/mcp-results.properties',
  'unit/mcp-seals',
  'unit/mysql-values',
  'unit/mutations',
  'unit/payload-bounds.properties',
  'unit/preloaded',
  'unit/scratchpad',
  'unit/suites',
  'unit/task-run-bounds',
  'unit/tool-gates',
  'unit/tool-registry',
);
