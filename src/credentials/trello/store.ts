import { openLoginStore, parseStored, type LoginStore } from '../login-store';
import { storedTrelloLoginSchema, type StoredTrelloLogin } from './protocol';

export const trelloLoginStore = (dataDir: string): LoginStore<StoredTrelloLogin> =>
  openLoginStore(dataDir, 'trello', storedTrelloLoginSchema);

export const parseTrelloLogin = (content: string): StoredTrelloLogin | undefined =>
  parseStored(storedTrelloLoginSchema, content);
