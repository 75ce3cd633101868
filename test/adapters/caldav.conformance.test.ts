import { describeConformance } from '../../src/testing/conformance';
import { conformanceRunner } from '../helpers/conformance-cases';
import { openCaldavWorld, stopRadicale } from './caldav-world';

afterAll(stopRadicale);

describeConformance('caldav', { open: openCaldavWorld }, conformanceRunner);
