import { inboxTests } from '../api/page-story';
import { closeStage, closeWindows, openStage } from '../helpers/page-stage';

beforeAll(openStage);
afterAll(closeStage);
afterEach(closeWindows);

inboxTests(200);
