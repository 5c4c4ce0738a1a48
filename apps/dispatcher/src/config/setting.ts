/**
 * What one setting may hold, written down as data: the parser, the messages, the reference page and the JSON Schema
 * are all read from it, so none of them can say something else than the program does.
 */
export type Setting = NumberSetting | TextSetting | SecretSetting | ChoiceSetting<string>;

interface Described {
  /** The environment variable that overrides the file. */
  readonly env: string;
  readonly description: string;
}

export type Unit = 'ms' | 'attempts' | 'connections' | 'factor' | 'port' | 'records' | 'workers';

export interface NumberSetting extends Described {
  readonly kind: 'number';
  readonly unit: Unit;
  readonly whole: boolean;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export interface TextSetting extends Described {
  readonly kind: 'text';
  readonly pattern: RegExp;
  /** What the pattern says, in words that fit behind "expected". */
  readonly shape: string;
  /** Empty: there is no default, and a command that needs the setting says so. */
  readonly default: string;
}

/** A text that is never shown, and that may also come from a file (`<ENV>_FILE`), as orchestrators mount secrets. */
export interface SecretSetting extends Described {
  readonly kind: 'secret';
  readonly pattern: RegExp;
  readonly shape: string;
  readonly default: '';
  /** Read when `env` is absent, if there is one: the name that platforms set by themselves. */
  readonly fallbackEnv?: string;
}

export interface ChoiceSetting<Choice extends string> extends Described {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  readonly default: Choice;
}

/** The kind of setting that can produce a value of type `Value`. */
export type SettingFor<Value> = [Value] extends [number]
  ? NumberSetting
  : Value[] extends string[]
    ? string extends Value
      ? TextSetting | SecretSetting
      : ChoiceSetting<Value & string>
    : never;

const UNIT_WORDS: Readonly<Record<Unit, string>> = {
  ms: ' of milliseconds',
  attempts: ' of attempts',
  connections: ' of connections',
  factor: '',
  port: '',
  records: ' of records',
  workers: ' of workers',
};

/** What a value has to be, in words that fit behind "expected". */
export function expectation(setting: Setting): string {
  switch (setting.kind) {
    case 'number': {
      const noun = setting.whole ? 'a whole number' : 'a number';
      return `${noun}${UNIT_WORDS[setting.unit]} from ${setting.min} to ${setting.max}`;
    }
    case 'text':
    case 'secret':
      return setting.shape;
    case 'choice':
      return `one of ${setting.choices.join(', ')}`;
  }
}

/** Whether a value, from a file or converted from the environment, is one that the setting may hold. */
export function accepts(setting: Setting, value: unknown): value is string | number {
  switch (setting.kind) {
    case 'number':
      return (
        typeof value === 'number' &&
        (setting.whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        value >= setting.min &&
        value <= setting.max
      );
    case 'text':
    case 'secret':
      return typeof value === 'string' && setting.pattern.test(value);
    case 'choice':
      return typeof value === 'string' && setting.choices.includes(value);
  }
}

// Plain decimals only: `Number` would also take '0x10', '1e3', ' 7 ' and ''.
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Turns the text of an environment variable into a value; a text that is not one comes back as it is, to be refused. */
export function fromText(setting: Setting, text: string): string | number {
  return setting.kind === 'number' && DECIMAL.test(text) ? Number(text) : text;
}
