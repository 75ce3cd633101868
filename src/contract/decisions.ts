import { z } from 'zod';

/** How a decision reached the workflow. */
export const confirmationViaSchema = z.enum(['signal', 'update', 'temporal']);
/** `asserted`: the sender names the person. `session`: the person signed in to one of our doors. */
export const assuranceSchema = z.enum(['asserted', 'session']);
