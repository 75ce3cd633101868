import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'adapters/trello',
  'adapters/trello-execute',
  'adapters/trello-openapi',
  'adapters/trello-outcomes',
  'adapters/http',
  'adapters/http.conformance',
  'adapters/http-allowance',
  'adapters/http-answers',
  'adapters/http-hosts',
  'adapters/http-operations',
  'adapters/http-read',
  'adapters/http-read-values',
  'adapters/http-secrets',
  'adapters/http-undo',
  'adapters/shown-requests',
  'adapters/unreachable',
  'adapters/webhook-targets',
);
