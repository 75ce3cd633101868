import { describeFiles } from '../../helpers/describe-files';

describeFiles('adapters/mariadb', 'adapters/mariadb-values', 'adapters/mariadb.conformance');
