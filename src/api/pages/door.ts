import type { Approver } from '../../contract/policy';
import type { Noun } from '../item-nouns';
import type { Principal } from '../principal';
import { formToken, html, may, nothing, type Html } from './html';
import type { Showing } from './showing';
import type { SigningView } from './signing';
import type { Typed } from './typed';

/** The target of the forms that answer a question. */
export interface Door {
  /** The path to which `/continue` is added. */
  base: string;
  /** Fields that every form contains. */
  token: Html;
  mayDecide: boolean;
  /** The person who decides, as this server identifies them. */
  approver: Approver;
  /** Whether the question is answered as a whole. Items are excluded on the operation's own page. */
  whole?: boolean;
  showing: Showing;
  /** The tool's noun for its items. */
  noun: Noun;
  /** The form that was refused. */
  typed?: Typed | undefined;
  /** The signature that the question needs, if any. */
  signing?: SigningView | undefined;
}

/** The door of a person who signed in, or of the holder of a link. `session`: the conversation that contains it. */
export function doorOf(
  holder: Principal | 'link',
  { session, ...door }: Omit<Door, 'token' | 'mayDecide'> & { session?: string },
): Door {
  if (holder === 'link') return { ...door, token: nothing, mayDecide: true };
  const within =
    session === undefined ? nothing : html`<input type="hidden" name="session" value="${session}" />`;
  return {
    ...door,
    token: html`${formToken(holder)}${within}`,
    mayDecide: may(holder.role, 'POST /operations/{operation_id}/continue'),
  };
}
