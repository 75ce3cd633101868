import { conformanceRunner } from '../helpers/conformance-cases';
import { describeConformance } from '../../src/testing/conformance';
import { openCalendarWorld } from './calendar-world';

describeConformance('calendar', { open: openCalendarWorld }, conformanceRunner);
