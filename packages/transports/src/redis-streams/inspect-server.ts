import type { RedisStreamsSettings } from './settings.ts';

/** Settings of the server that weaken what its answer is worth, from the text of `INFO`. */
export function inspectServer(info: string, { trim }: Pick<RedisStreamsSettings, 'trim'>): readonly string[] {
  const evicts = field(info, 'maxmemory') !== '0' && field(info, 'maxmemory_policy') !== 'noeviction';
  const warnings: readonly (readonly [holds: boolean, warning: string])[] = [
    [
      field(info, 'aof_enabled') === '0',
      'the append-only file is off: a restart of the server loses accepted messages',
    ],
    [evicts, `maxmemory-policy is ${field(info, 'maxmemory_policy')}: the server may drop the whole stream`],
    [trim !== 'never', 'the stream is trimmed: entries that nobody has read may be dropped'],
  ];
  return warnings.filter(([holds]) => holds).map(([, warning]) => warning);
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
