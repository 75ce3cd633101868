/** Reverts one step of a start. */
export type Undo = () => Promise<unknown>;

/** Reverts the steps in reverse order. A second call does nothing. */
export async function undoAll(undo: Undo[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}
