import type { Config } from '../../../src/host/config';
import { describeServer, serverAccount, type ServerAccount } from '../shared/server-account';

/** `imaps://HOST[:PORT]`, or `imap://` for STARTTLS, and on this machine without it. */
export type ImapAccount = ServerAccount;

const configuredIn = ({ imapUrl: url, imapUser: user, ...config }: Config) => ({
  ...{ url, user, pass: config.imapPassword, accessToken: config.imapAccessToken },
});

/** @throws BatchgateError `NOT_CONFIGURED`. */
export const imapAccount = (config: Config) => (): ImapAccount =>
  serverAccount('mail server', 'imap', configuredIn(config));

export const describeImap = (config: Config) => describeServer(configuredIn(config), imapAccount(config));
