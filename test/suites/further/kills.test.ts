import { describeFiles } from '../../helpers/describe-files';

describeFiles('faults/kills', 'long/emptied-store', 'long/stopped-worker');
