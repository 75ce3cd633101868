// A command line for shell scripts that runs in the process of program-process.ts. Arguments: its socket, the command.
const { connect } = require('node:net');
const { createInterface } = require('node:readline');

const [socketPath, ...args] = process.argv.slice(2);
const socket = connect(socketPath);
const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
send({ args, env: process.env });
process.stdin.setEncoding('utf8');
process.stdin.on('data', (input) => send({ input })).once('end', () => send({ endInput: true }));
process.once('SIGINT', () => send({ interrupt: true }));
let exitCode = 1;
createInterface({ input: socket })
  .on('line', (line) => {
    const message = JSON.parse(line);
    if ('code' in message) exitCode = message.code;
    else if ('stdout' in message) process.stdout.write(message.stdout);
    else process.stderr.write(message.stderr);
  })
  .once('close', () => {
    process.exitCode = exitCode;
    process.stdin.destroy();
  });
