import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** The text of a configuration file. */
export interface ConfigSource {
  label: string;
  text: string;
}

/** The file and the line of a value, or of the value that would contain it: `batchgate.config.json: line 12: `. */
export function placeIn({ label, text }: ConfigSource, path: readonly PropertyKey[]): string {
  const tree = parseTree(text);
  const parts = path.filter((part) => typeof part !== 'symbol');
  for (let end = parts.length; tree && end > 0; end--) {
    const node = findNodeAtLocation(tree, parts.slice(0, end));
    if (node) return `${label}: line ${text.slice(0, node.offset).split('\n').length}: `;
  }
  return `${label}: `;
}
