import { Argument, type Command } from 'commander';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import type { Finish } from './program.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletionCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('completion')
    .description('Print the completion script of a shell: source <(waybill completion bash).')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => {
      context.stdout.write(SCRIPTS[shell](completions(program)));
      finish(EXIT.ok);
    });
}

/** What may follow the words so far: subcommands and options. */
interface Completion {
  readonly path: string;
  readonly words: readonly string[];
}

/** The whole tree of commands, so that nothing can be forgotten. */
function completions(command: Command, path: readonly string[] = []): readonly Completion[] {
  const options = [...optionsOf(command), ...(path.length === 0 ? [] : optionsOf(rootOf(command)))];
  const words = [...command.commands.map((child) => child.name()), ...options, '--help'];
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((child) => completions(child, [...path, child.name()])),
  ];
}

const optionsOf = (command: Command): readonly string[] =>
  command.options.flatMap(({ hidden, long }) => (hidden || long === undefined ? [] : [long]));

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

const SCRIPTS: Readonly<Record<Shell, (completions: readonly Completion[]) => string>> = {
  bash: (known) => `${wordsFunction(known)}
_waybill() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  COMPREPLY=($(compgen -W "$(_waybill_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _waybill waybill
`,
  zsh: (known) => `#compdef waybill
${wordsFunction(known)}
_waybill() {
  local path_so_far="" word
  for word in "\${words[@]:1:CURRENT-2}"; do
    [[ $word == -* ]] || path_so_far="\${path_so_far:+$path_so_far }$word"
  done
  compadd -- \${=$(_waybill_words "$path_so_far")}
}
compdef _waybill waybill
`,
  fish: (known) => `function __waybill_path
  string join ' ' (string match -v -- '-*' (commandline -opc)[2..])
end
complete -c waybill -f
${known.map(({ path, words }) => `complete -c waybill -n 'test (__waybill_path) = "${path}"' -a '${words.join(' ')}'`).join('\n')}
`,
};

function wordsFunction(known: readonly Completion[]): string {
  const cases = known.map(({ path, words }) => `    '${path}') echo '${words.join(' ')}' ;;`);
  return `_waybill_words() {\n  case "$1" in\n${cases.join('\n')}\n  esac\n}`;
}
