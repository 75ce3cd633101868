import { describeConformance } from '../../src/testing';
import { openCalendarWorld } from '../adapters/calendar-world';

describeConformance('calendar', { open: openCalendarWorld });
