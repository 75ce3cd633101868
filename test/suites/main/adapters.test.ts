import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'adapters/http-tap',
  'adapters/http.conformance',
  'adapters/sql.conformance',
  'adapters/gmail.conformance',
  'adapters/calendar.conformance',
  'adapters/trello.conformance',
);
