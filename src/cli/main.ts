import { runProgram } from './program';

// A reader, as `head`, may close the pipe once it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

void runProgram(process.argv.slice(2));
