import { describeFiles } from '../../helpers/describe-files';

describeFiles(
  'edges/compose',
  'edges/doctor',
  'edges/doctor-configured',
  'edges/doctor-model',
  'edges/payload-codec',
  'edges/server-calls',
  'edges/store',
  'edges/temporal-cli',
  'edges/temporal-connection',
  'edges/temporal-fetch',
  'edges/ui-door',
);
