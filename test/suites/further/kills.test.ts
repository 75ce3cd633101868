import { describeFiles } from '../../helpers/describe-files';

describeFiles('faults/kills', 'faults/clients', 'long/emptied-store', 'long/stopped-worker');
