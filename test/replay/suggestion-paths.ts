import { refused, type Path } from './stage';

export const SUGGESTIONS: Record<string, Path> = {
  'suggestions-asked': async ({ begin, handle }) => {
    await begin('suggestions', { domain: 'fake', parameter: 'mark', beginning: 'd' });
    await handle.result();
  },
  'suggestions-refused': async ({ begin, handle }) => {
    await begin('suggestions', { domain: 'none', parameter: 'mark' });
    await refused(handle.result());
  },
};
