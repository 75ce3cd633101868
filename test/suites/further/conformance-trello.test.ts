import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/trello.conformance');
