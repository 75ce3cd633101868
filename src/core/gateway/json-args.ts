/** A field of this name would change what an object is, wherever it is copied by assignment. */
export const isSafeKey = (name: string) => name !== '__proto__';
