import { openLoginStore, parseStored, type LoginStore as Store } from '../login-store';
import { storedLoginSchema, type StoredLogin } from './protocol';

export type LoginStore = Store<StoredLogin>;

export const loginStore = (dataDir: string): LoginStore =>
  openLoginStore(dataDir, 'google', storedLoginSchema);

export const parseLogin = (content: string): StoredLogin | undefined =>
  parseStored(storedLoginSchema, content);
