import { inLongRun } from '../helpers/long-run';
import { closeStage, closeWindows, openStage, stage } from '../helpers/page-stage';
import { accessTests } from './page-access';
import { answerTests } from './page-answers';
import { connectionTests } from './page-connection';
import { conversationTests } from './page-conversation';
import { decisionTests } from './page-decisions';
import { firefoxTests } from './page-firefox';
import { formTests } from './page-forms';
import { directionTests } from './page-directions';
import { forgedTests } from './page-forged';
import { groupTests } from './page-groups';
import { hurryTests } from './page-hurry';
import { impatienceTests } from './page-impatience';
import { inboxViewTests } from './page-inbox';
import { outcomeTests } from './page-outcomes';
import { readingTests } from './page-reading';
import { repetitionTests } from './page-repetition';
import { silenceTests } from './page-silence';
import { storyTests } from './page-story';
import { visitTests } from './page-visits';
import { windowTests } from './page-windows';
import { wordTests } from './page-words';

beforeAll(openStage);
afterAll(closeStage);
afterEach(async () => {
  await closeWindows();
  expect(stage.http.failures.splice(0)).toEqual([]);
});

decisionTests();
impatienceTests();
/** `BATCHGATE_HURRIES=2000` tries as many sessions. */
const hurries = Number(process.env['BATCHGATE_HURRIES'] ?? inLongRun(5, 0));
if (hurries > 0) hurryTests(hurries);
const further = [
  repetitionTests,
  groupTests,
  directionTests,
  connectionTests,
  silenceTests,
  answerTests,
  forgedTests,
  visitTests,
  windowTests,
  readingTests,
  wordTests,
  accessTests,
  formTests,
  outcomeTests,
  conversationTests,
  firefoxTests,
  storyTests,
  // Its many questions are in every list from then on.
  inboxViewTests,
];
for (const tests of inLongRun(further, [])) tests();
