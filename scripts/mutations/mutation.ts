/** The removal of a guard from one file, and the tests that must notice. */
export interface Mutation {
  /** Unique, for `--only`. */
  name: string;
  /** The violation that the guard prevents. */
  guards: string;
  file: string;
  /** Occurs in the file exactly once. */
  find: string;
  replace: string;
  /** For a workflow, which workers load from a bundle: a pattern of the text there, which is taken out. */
  bundled?: string;
  /** `folder/name` for `test/folder/name.test.ts`. Each of them must fail. */
  tests: string[];
}
