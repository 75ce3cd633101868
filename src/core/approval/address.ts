import { withoutTrailing } from '../../contract/text';

/** The page on which a person decides about an operation; `origin` is where people reach us, such as `http.base_url`. */
export const operationPage = (origin: string, operationId: string): string =>
  `${withoutTrailing(origin, '/')}/operations/${encodeURIComponent(operationId)}`;

/** The page on which a person answers the questions of a macro run. */
export const macroPage = (origin: string, runId: string): string =>
  `${withoutTrailing(origin, '/')}/macros/${encodeURIComponent(runId)}`;
