import type { Config } from '../../../src/host/config';
import { describeServer, serverAccount, type ServerAccount } from '../shared/server-account';

const configuredIn = ({ caldavUrl: url, caldavUser: user, ...config }: Config) => ({
  ...{ url, user, pass: config.caldavPassword, accessToken: config.caldavAccessToken },
});

/** `https://HOST[/PATH]`, or `http://` on this machine. @throws BatchgateError `NOT_CONFIGURED`. */
export const caldavAccount = (config: Config) => (): ServerAccount =>
  serverAccount('calendar server', 'caldav', configuredIn(config));

export const describeCaldav = (config: Config) => describeServer(configuredIn(config), caldavAccount(config));
