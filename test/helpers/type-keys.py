"""Types keys into a program on a terminal of its own, once it shows its prompt: type-keys.py PROMPT KEYS PROGRAM ..."""
import os
import pty
import sys

prompt, keys, program = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(program[0], program)
output = b""
typed = False
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    output += chunk
    if not typed and prompt in output:
        typed = True
        os.write(terminal, keys)
os.waitpid(pid, 0)
sys.stdout.buffer.write(output)
