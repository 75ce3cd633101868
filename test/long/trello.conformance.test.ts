import { describeConformance } from '../../src/testing';
import { openTrelloWorld } from '../adapters/trello-world';

describeConformance('trello', { open: openTrelloWorld });
