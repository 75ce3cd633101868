import { describeFiles } from '../../helpers/describe-files';

describeFiles('docs/tarball', 'long/package', 'long/takeover');
