import { type Static, Type } from '@sinclair/typebox';
import { type ReleaseChangedV1, releaseChangedV1, releaseMembers } from './v1.ts';
import type { ReleaseWebhook } from './webhook.ts';

/** Version 2: the channel by name, since a third one would not fit into a flag. */
export const ReleaseChangedV2 = Type.Object({
  ...releaseMembers,
  channel: Type.Union([Type.Literal('stable'), Type.Literal('preview')]),
});
export type ReleaseChangedV2 = Static<typeof ReleaseChangedV2>;

/** The flag becomes a channel. */
export function flagToChannel({ prerelease, ...same }: ReleaseChangedV1): ReleaseChangedV2 {
  return { ...same, channel: prerelease ? 'preview' : 'stable' };
}

/** Lossless for as long as there are two channels; a third would be version 3, without a downcast. */
export function channelToFlag({ channel, ...same }: ReleaseChangedV2): ReleaseChangedV1 {
  return { ...same, prerelease: channel === 'preview' };
}

/** The `release` webhook as version 2. */
export function releaseChanged(webhook: ReleaseWebhook): ReleaseChangedV2 {
  return flagToChannel(releaseChangedV1(webhook));
}
