/**
 * The verb that the completion scripts call. It prints one candidate a line, with a tab before its description. The
 * scripts pass words as arguments and never through `eval`, so that the Tab key does not run typed text.
 */
export const COMPLETION_VERB = 'complete-words';

/** The answer that stands for the names of files. */
export const FILES = ':files';

const BASH = `# batchgate completion for bash. To install: add to ~/.bashrc
#   source <(batchgate completion bash)
# (an old bash, as on macOS: eval "$(batchgate completion bash)")
_batchgate_completion() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    # Nothing offered: bash completes names of files by itself.
    [ "$line" = '${FILES}' ] && return
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" ${COMPLETION_VERB} bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _batchgate_completion batchgate
`;

const ZSH = `#compdef batchgate
# batchgate completion for zsh. To install: add to ~/.zshrc, after compinit
#   source <(batchgate completion zsh)
_batchgate() {
  local -a lines candidates
  local line
  lines=("\${(@f)$("\${(Q)words[1]}" ${COMPLETION_VERB} zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$lines[1]" == '${FILES}' ]]; then
    _files
    return
  fi
  for line in $lines; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t batchgate 'batchgate' candidates
}
if [ "\${funcstack[1]}" = "_batchgate" ]; then
  _batchgate "$@"
else
  compdef _batchgate batchgate
fi
`;

const FISH = `# batchgate completion for fish. To install:
#   batchgate completion fish > ~/.config/fish/completions/batchgate.fish
function __batchgate_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l program $words[1]
  set -e words[1]
  set -l lines ($program ${COMPLETION_VERB} fish -- $words "$current" 2>/dev/null)
  if test "$lines[1]" = '${FILES}'
    __fish_complete_path "$current"
  else
    printf '%s\\n' $lines
  end
end
complete -c batchgate -f -a '(__batchgate_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SCRIPTS;
