import { keepWorkflowThreads } from './workflow-threads';

keepWorkflowThreads();
