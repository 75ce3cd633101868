import { readFile } from 'node:fs/promises';
import { Client } from 'pg';

/**
 * Runs the script that PostgreSQL's image runs with psql. Of psql's own language, it supports `\getenv` and `:'name'`.
 * It sends each statement separately, because a database cannot be created inside a transaction.
 */
export async function runInitScript(url: string, file: string, variables: Record<string, string>) {
  const client = new Client(url);
  const script = (await readFile(file, 'utf8')).replace(/^--.*$/gm, '');
  const names = new Map([...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, to, from]) => [to, from]));
  const quoted = (name: string) => {
    const value = variables[names.get(name) ?? ''];
    if (value === undefined) throw new Error(`${file} asks for the variable of ${name}, which is not set`);
    return client.escapeLiteral(value);
  };
  const statements = script
    .replace(/^\\getenv .*$/gm, '')
    .replace(/:'(\w+)'/g, (_, name: string) => quoted(name))
    .split(';')
    .filter((statement) => statement.trim() !== '');
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
