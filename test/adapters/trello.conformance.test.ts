import { conformanceRunner } from '../helpers/conformance-cases';
import { describeConformance } from '../../src/testing/conformance';
import { openTrelloWorld } from './trello-world';

describeConformance('trello', { open: openTrelloWorld }, conformanceRunner);
