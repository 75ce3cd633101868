import { HTTP_ROUTES, PAGE_ROUTES, type Permission } from '../core/access/permissions';
import { COMMANDS } from './index';

/**
 * The roles for each route: the only source of the checks, the documentation and the test of every cell. A route that
 * names an operation, a run or a session answers 404 to a key that does not reach that session, whatever its role.
 */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  ...HTTP_ROUTES,
  ...Object.fromEntries(
    COMMANDS.flatMap(({ title, may, http }) => (http ? [[http.route, { does: title, ...may }]] : [])),
  ),
  ...PAGE_ROUTES,
};
