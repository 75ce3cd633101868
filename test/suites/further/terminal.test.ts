import { describeFiles } from '../../helpers/describe-files';

describeFiles('edges/terminal', 'edges/chat', 'edges/chat-news', 'edges/login');
