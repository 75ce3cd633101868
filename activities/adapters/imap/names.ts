import type { ListResponse } from 'imapflow';
import type { Asked } from '../kit/types';
import { mistake, unlessGone } from '../shared/failure';
import { byName, withName } from '../shared/names';
import { FIXED_FLAGS, SPECIAL_FOLDERS } from './actions';
import { placeIn, type EmailChange, type EmailSearch, type PreparedEmails } from './emails';
import type { Mailbox } from './mailbox';

const INBOX = { id: 'INBOX', name: 'INBOX' };

interface Params {
  folder?: string;
  target_folder?: string;
  label_name?: string;
}

/** Resolves the folders and the label of a request. Reads no email. */
export async function resolve(
  mailbox: Mailbox,
  { action, explicit_items, query, change }: Asked,
): Promise<{ query?: EmailSearch; change: EmailChange }> {
  const { folder: folderName, ...search } = query as Params;
  const { target_folder: target, label_name } = change as Params;
  const special = SPECIAL_FOLDERS.get(action);
  const needsFolders = [folderName, target].some((name) => name !== undefined) || special !== undefined;
  const folders = needsFolders ? await mailbox.folders() : [];
  const folder = folderName === undefined ? INBOX : folderNamed(folders, folderName);
  const flag =
    FIXED_FLAGS.get(action) ??
    (label_name === undefined
      ? undefined
      : await keywordNamed(mailbox, label_name, explicit_items ? undefined : folder.id, action));
  const targetFolder =
    target === undefined ? special && specialFolder(folders, action, special) : folderNamed(folders, target);
  if (targetFolder && !explicit_items && targetFolder.id === folder.id) throw sameFolder(targetFolder.name);
  return {
    ...(!explicit_items && { query: { ...search, folder } }),
    change: { ...(flag !== undefined && { flag }), ...(targetFolder && { folder: targetFolder }) },
  };
}

/** Returns the folder with this path, written with the server's delimiter or with slashes. */
function folderNamed(folders: readonly ListResponse[], givenPath: string): { id: string; name: string } {
  const path = withName(folders, givenPath, ({ path: id, delimiter }) => id.replaceAll(delimiter, '/'))[0]
    ?.path;
  const folder = byName(
    'Folder',
    folders.map(({ path: id }) => ({ id, name: id })),
    path ?? givenPath,
  );
  const { flags } = folders.find(({ path: id }) => id === folder.id)!;
  if (![...flags].some((flag) => /^\\(noselect|nonexistent)$/i.test(flag))) return folder;
  throw mistake(`Folder '${folder.name}' contains folders only, no emails`, 'Name one of the folders in it.');
}

function specialFolder(folders: readonly ListResponse[], action: string, uses: readonly string[]) {
  for (const use of uses) {
    const folder = folders.find(({ specialUse }) => specialUse === use);
    if (folder) return { id: folder.path, name: folder.path };
  }
  throw mistake(
    `The mail server has no folder for ${action}`,
    'Use the action move, with its target_folder.',
  );
}

const sameFolder = (name: string) =>
  mistake(
    `The emails of '${name}' are in '${name}' already`,
    'Name another folder to search in, or another target_folder.',
  );

/** Returns a keyword (RFC 9051, section 9, "flag-keyword"), in the server's spelling if it is in use. */
async function keywordNamed(mailbox: Mailbox, name: string, folder: string | undefined, action: string) {
  if (/[^\x21-\x7e]|[(){%*"\\\]]/.test(name)) {
    throw mistake(
      `A mail server takes no label '${name}': a label has no spaces and no characters but letters, digits and simple signs`,
      `Write it like '${name.normalize('NFKD').replace(/[^\w$.-]+/g, '-')}', or name a folder for copies as target_folder.`,
    );
  }
  if (folder === undefined) return name;
  const { known: keywords, open } = await mailbox.keywords(folder);
  const match = withName(keywords, name, (keyword) => keyword)[0];
  if (match !== undefined) return match;
  if (action === 'unlabel')
    return byName(
      'Label',
      keywords.map((keyword) => ({ id: keyword, name: keyword })),
      name,
    ).id;
  if (open) return name;
  throw mistake(
    `Label '${name}' not found, and the mail server makes no new ones in ${folder}`,
    'Name a folder for copies as target_folder instead.',
  );
}

/** Returns the folders and the label of a request, as the server spells them. */
export async function namesIn(
  { action, query, change: { flag, folder } }: PreparedEmails,
  mailbox: Pick<Mailbox, 'keywords'>,
  items: readonly { readonly id: string }[],
): Promise<{ folder?: string; target_folder?: string; label_name?: string }> {
  const label = flag === undefined || FIXED_FLAGS.has(action) ? undefined : flag;
  return {
    ...(query && { folder: query.folder.name }),
    ...(folder && !SPECIAL_FOLDERS.has(action) && { target_folder: folder.name }),
    ...(label !== undefined && { label_name: query ? label : await keywordInUse(mailbox, label, items) }),
  };
}

/**
 * Returns the server's spelling of a label in the folders of named emails, which `resolve` does not read. Of
 * several spellings the first in order counts, whichever order the items have.
 */
async function keywordInUse(
  mailbox: Pick<Mailbox, 'keywords'>,
  label: string,
  items: readonly { readonly id: string }[],
): Promise<string> {
  const spellings: string[] = [];
  for (const folder of new Set(items.flatMap(({ id }) => placeIn(id)?.folder ?? []))) {
    const { known = [] } = (await unlessGone(() => mailbox.keywords(folder))) ?? {};
    spellings.push(...withName(known, label, (keyword) => keyword));
  }
  return spellings.sort()[0] ?? label;
}

/** Returns the possible values of a parameter. */
export async function suggested(mailbox: Mailbox, parameter: string, folder = 'INBOX'): Promise<string[]> {
  if (parameter === 'label_name') return (await mailbox.keywords(folder)).known;
  if (parameter !== 'folder' && parameter !== 'target_folder') return [];
  return (await mailbox.folders()).map(({ path }) => path);
}
