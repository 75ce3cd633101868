import type { Approver } from '../../contract/policy';
import type { Noun } from '../item-nouns';
import type { Html } from './html';
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
  /** The person who decides, as far as this server knows them. */
  approver: Approver;
  /** The question is answered as a whole: items are excluded on the operation's own page. */
  whole?: boolean;
  showing: Showing;
  /** What the tool calls its items. */
  noun: Noun;
  /** The form that was refused. */
  typed?: Typed | undefined;
  /** How the question is signed, if it must be. */
  signing?: SigningView | undefined;
}
