import { styleText } from 'node:util';
import { io } from './io';

type Format = Parameters<typeof styleText>[0];

/** Colours text for a terminal that supports it. Node applies NO_COLOR, FORCE_COLOR and TERM=dumb. */
function styled(format: Format): (text: string, stream?: NodeJS.WriteStream) => string {
  return (text, stream = io().stdout) => (text === '' ? '' : styleText(format, text, { stream }));
}

export const ok = styled('green');
export const warn = styled('yellow');
export const bad = styled('red');
export const dim = styled('dim');
export const bold = styled('bold');
