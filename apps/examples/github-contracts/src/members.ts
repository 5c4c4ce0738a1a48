import { type TInteger, type TOptional, type TSchema, type TString, Type } from '@sinclair/typebox';

/** GitHub's numeric ids. They stay far below 2^53, so a JSON number carries them exactly. */
export const GithubId: TInteger = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The number that people see after the hash sign, unique within a repository. */
export const IssueNumber: TInteger = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** `owner/name`. Neither part can hold a slash, so the split is never in doubt. */
export const RepositoryName: TString = Type.String({ pattern: '^[^/\\s]{1,100}/[^/\\s]{1,100}$', maxLength: 201 });

/** Who did it, by login name. */
export const Login: TString = Type.String({ minLength: 1, maxLength: 100 });

/**
 * What happened, in GitHub's word. An open set on purpose: GitHub adds actions without notice,
 * and a closed one would need a new version of the message each time.
 */
export const Action: TString = Type.String({ pattern: '^[a-z_]+$', maxLength: 64 });

/** A git object id: SHA-1 today, SHA-256 in repositories that use it. */
export const CommitId: TString = Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$', maxLength: 64 });

/** A title as a person typed it; GitHub allows the empty one. */
export const Title: TString = Type.String({ maxLength: 1024 });

/** A member that may be left out, with what its absence means: without that, an older record would be open to guessing. */
export function optional<S extends TSchema>(schema: S, absenceMeans: string): TOptional<S> {
  const annotated: S = { ...schema, 'x-absent': { means: absenceMeans } };
  // TypeBox answers with a conditional type that stays undecided while S is open; for every S in use it is TOptional<S>.
  return Type.Optional(annotated) as TOptional<S>;
}
