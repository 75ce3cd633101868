/** Uses a sign-in link as the button of its page does. The answer sets the cookie. */
export function useLink(link: string): Promise<Response> {
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ token: searchParams.get('token') ?? '' });
  return fetch(`${origin}/sign-in`, { method: 'POST', redirect: 'manual', body });
}
