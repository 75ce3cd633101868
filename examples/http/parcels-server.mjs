import { createServer } from 'node:http';

/** A service with parcels. `POST /parcels/ID/recall { reason }` succeeds once for each parcel and then answers 409. */
const port = Number(process.argv[2] ?? 18790);
const recalled = new Map();

createServer((request, response) => {
  const [, , id = ''] = (request.url ?? '').split('/');
  const answer = (status, value) => response.writeHead(status).end(JSON.stringify(value));
  if (request.headers.authorization !== 'Bearer parcels-key-4711')
    return answer(401, { error: 'who are you?' });
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    if (!id.startsWith('P-')) return answer(404, { error: 'no such parcel' });
    if (recalled.has(id)) return answer(409, { error: 'recalled already' });
    recalled.set(id, JSON.parse(body).reason);
    answer(201, { id });
  });
}).listen(port, '127.0.0.1', () => console.log(`serves parcels at http://127.0.0.1:${port}`));
