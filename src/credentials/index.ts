export { describeGoogleCredentials } from './google/describe';
