import { io } from '../io';
import { note } from '../output';

/** Writes a text as it grows. A step that begins again, on another worker, begins a new line. */
export interface Typing {
  text(soFar: string): void;
  aside(line: string): void;
  end(whole?: string): void;
}

export function createTyping(silent: boolean): Typing {
  let shown = '';
  const write = (text: string) => {
    if (!silent) io().stdout.write(text);
  };
  const breakLine = () => {
    if (shown !== '') write('\n');
    shown = '';
  };
  const text = (soFar: string) => {
    if (!soFar.startsWith(shown)) breakLine();
    write(soFar.slice(shown.length));
    shown = soFar;
  };
  return {
    text,
    aside(line) {
      breakLine();
      note(line);
    },
    end(whole) {
      if (whole !== undefined) text(whole);
      breakLine();
    },
  };
}
