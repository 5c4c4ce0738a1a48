import type { PoolClient } from 'pg';

/** What a handler needs to know of the message that it handles. */
export interface Handled {
  readonly id: string;
  readonly recordKey: string;
}

/** One line of the board: what a card says after a change. */
interface Card {
  readonly headline: string;
  readonly status: string;
}

/**
 * Shows a change on the board, in the dispatcher's own transaction. The upsert locks the card, so the number of the change follows
 * the commits of this card, and the table of accepted messages tells afterwards in which order they came, repeats included.
 */
async function show(tx: PoolClient, message: Handled, card: Card): Promise<void> {
  await tx.query(
    /* sql */ `
    with shown as (
      insert into board.card as known (record_key, headline, status, changes) values ($1, $2, $3, 1)
      on conflict (record_key) do update
        set headline = excluded.headline, status = excluded.status, changes = known.changes + 1
      returning changes)
    insert into board.accepted (message_id, record_key, change) select $4, $1, changes from shown`,
    [message.recordKey, card.headline, card.status, message.id],
  );
}

/** A pull request as release 1 of the contracts describes it. */
export async function showPullRequestV1(
  tx: PoolClient,
  message: Handled,
  pull: { readonly title: string; readonly state: string; readonly merged: boolean; readonly draft: boolean },
): Promise<void> {
  const status = pull.merged ? 'merged' : pull.state === 'open' && pull.draft ? 'draft' : pull.state;
  await show(tx, message, { headline: pull.title, status });
}

/** A pull request as release 2 describes it. */
export async function showPullRequest(
  tx: PoolClient,
  message: Handled,
  pull: { readonly title: string; readonly state: string },
): Promise<void> {
  await show(tx, message, { headline: pull.title, status: pull.state });
}

/** A push as release 1 describes it. */
export async function showPushV1(
  tx: PoolClient,
  message: Handled,
  push: { readonly repository: string; readonly ref: string },
): Promise<void> {
  await show(tx, message, { headline: push.repository, status: push.ref });
}

/** A push as release 2 describes it. */
export async function showPush(
  tx: PoolClient,
  message: Handled,
  push: { readonly repository: string; readonly ref: { readonly kind: 'branch' | 'tag'; readonly name: string } },
): Promise<void> {
  await show(tx, message, { headline: push.repository, status: `${push.ref.kind} ${push.ref.name}` });
}
