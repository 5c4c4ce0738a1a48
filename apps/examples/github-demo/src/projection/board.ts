import type { PayloadOf } from '@waybill/contracts';
import type { HandleContext } from '@waybill/dispatcher';
import type * as release2 from '@waybill-examples/github-contracts';
import type * as release1 from '@waybill-examples/github-contracts/release-1';

/** One line of the board. */
interface Card {
  readonly headline: string;
  readonly status: string;
}

/**
 * Shows a change on the board, in the dispatcher's own transaction. The upsert locks the card, so the number of the change follows
 * the commits of this card, and the table of accepted messages tells afterwards in which order they came, repeats included.
 */
async function show({ headline, status }: Card, { tx, message }: HandleContext): Promise<void> {
  await tx.query(
    /* sql */ `
    with shown as (
      insert into board.card as known (record_key, headline, status, changes) values ($1, $2, $3, 1)
      on conflict (record_key) do update
        set headline = excluded.headline, status = excluded.status, changes = known.changes + 1
      returning changes)
    insert into board.accepted (message_id, record_key, change) select $4, $1, changes from shown`,
    [message.recordKey, headline, status, message.id],
  );
}

/** A pull request as the board of release 1 shows it. */
export async function drawPullRequestV1(
  pull: PayloadOf<typeof release1.ShowPullRequest>,
  context: HandleContext,
): Promise<void> {
  const status = pull.merged ? 'merged' : pull.state === 'open' && pull.draft ? 'draft' : pull.state;
  await show({ headline: pull.title, status }, context);
}

/** A push as the board of release 1 shows it. */
export async function drawPushV1(push: PayloadOf<typeof release1.ShowPush>, context: HandleContext): Promise<void> {
  await show({ headline: push.repository, status: push.ref }, context);
}

/** A pull request as the board of release 2 shows it, whichever version it was written in. */
export async function drawPullRequest(
  pull: PayloadOf<typeof release2.ShowPullRequest>,
  context: HandleContext,
): Promise<void> {
  await show({ headline: pull.title, status: pull.state }, context);
}

/** A push as the board of release 2 shows it, whichever version it was written in. */
export async function drawPush(push: PayloadOf<typeof release2.ShowPush>, context: HandleContext): Promise<void> {
  await show({ headline: push.repository, status: `${push.ref.kind} ${push.ref.name}` }, context);
}
