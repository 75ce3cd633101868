export { describeGoogleCredentials, isLocal } from './google/describe';
export type { GoogleService } from './google/services';
export { describeTrelloCredentials } from './trello/access';
