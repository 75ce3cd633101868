/** What takes back one step of a start. */
export type Undo = () => Promise<unknown>;

/** Backwards, as it was done; what was stopped once is not stopped again. */
export async function undoAll(undo: Undo[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}
