/** The page on which a person decides about an operation; `origin` is where people reach us, such as `http.base_url`. */
export const operationPage = (origin: string, operationId: string): string =>
  `${origin.replace(/\/+$/, '')}/operations/${encodeURIComponent(operationId)}`;

/** The page on which a person answers the questions of a macro run. */
export const macroPage = (origin: string, runId: string): string =>
  `${origin.replace(/\/+$/, '')}/macros/${encodeURIComponent(runId)}`;
