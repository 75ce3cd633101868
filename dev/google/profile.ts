/** The path of Gmail's `users.getProfile`, which the emulator does not have. */
export const PROFILE = /^\/gmail\/v1\/users\/[^/]+\/profile$/;

/** The profile, with the current point in the history, which the emulator returns with each page of the history. */
export async function profileOf(email: string, ask: (path: string) => Promise<string>): Promise<string> {
  const page = await ask('/gmail/v1/users/me/history?startHistoryId=0&maxResults=1');
  const { historyId } = JSON.parse(page) as { historyId: string };
  return JSON.stringify({ emailAddress: email, historyId });
}
