import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/sqlite', 'adapters/sqlite.conformance');
