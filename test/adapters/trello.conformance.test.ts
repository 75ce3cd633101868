import { conformanceRunner } from '../helpers/conformance-cases';
import { describeConformance } from '../../src/testing';
import { openTrelloWorld } from './trello-world';

describeConformance('trello', { open: openTrelloWorld }, conformanceRunner);
