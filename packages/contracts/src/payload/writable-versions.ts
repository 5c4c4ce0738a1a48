import type { AnyMessage } from '../definition/message.ts';

/** The versions that `writePayload` can write a message in, newest first: as far back as its downcasts lead. */
export function writableVersions(message: AnyMessage): readonly number[] {
  const versions = [message.newest];
  for (let newer = message.newest; newer > message.oldest && message.downcast[newer] !== undefined; newer -= 1)
    versions.push(newer - 1);
  return versions;
}
