/** The part of a webhook that tells which repository it is about; every payload of this package has it. */
export interface RepositoryWebhook {
  readonly repository: { readonly id: number; readonly full_name: string; readonly [member: string]: unknown };
}

/** A GitHub account as webhooks describe it. */
export interface Account {
  readonly login: string;
  readonly [member: string]: unknown;
}
