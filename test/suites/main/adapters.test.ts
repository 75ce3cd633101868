import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'adapters/http.conformance',
  'adapters/sql.conformance',
  'adapters/gmail-execute',
  'adapters/calendar-execute',
  'adapters/trello-execute',
);
