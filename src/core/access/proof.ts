import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Signed } from '../../contract/messages';
import type { Approver } from '../../contract/policy';
import type { Through } from '../../contract/record';
import { canonicalJson } from '../shared/canonical';

/** A decision of a signed-in person: the content that is signed, and that a workflow verifies. */
export interface Decided {
  operation_id: string;
  /** The name of the update. */
  decision: string;
  request: { signed?: Signed; proof?: string; by?: string; through?: Through; approver?: Approver };
}

/** The signed text: the operation, the decision, and what binds it to one use (src/core/bulk/signatures.ts). */
export function decisionText({ operation_id, decision, request }: Decided): string {
  const { proof: _, ...content } = request;
  return canonicalJson({ operation_id, decision, said: content });
}

/** Whether the holder of the private key signed this decision. Signature and key are in hex. */
export function isProven(decided: Decided, publicKey: string): boolean {
  const { proof } = decided.request;
  if (proof === undefined) return false;
  try {
    return ed25519.verify(hexToBytes(proof), utf8ToBytes(decisionText(decided)), hexToBytes(publicKey));
  } catch {
    // The value is not a signature.
    return false;
  }
}
