import { z } from 'zod';

/** How a decision reached the workflow. */
export const confirmationViaSchema = z.enum(['signal', 'update', 'temporal']);

export { assuranceSchema } from './policy';
