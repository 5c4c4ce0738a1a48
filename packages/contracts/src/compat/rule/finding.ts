/** The rules that can decide a comparison, or be found on the way. */
export const COMPATIBILITY_RULES = [
  'equal',
  'strictly-equal',
  'optional-member-added',
  'required-member-added',
  'member-removed',
  'member-renamed',
  'default-changed',
  'absent-value-changed',
  'absent-value-invalid',
  'format-changed',
  'content-encoding-changed',
  'discriminator-changed',
  'pattern-changed',
  'unknown-keyword',
  'undiscriminated-union',
  'dialect-changed',
  'member-clashes',
  'member-unusable',
  'narrowed',
  'widened',
  'incompatible',
  'not-provable',
] as const;
export type CompatibilityRule = (typeof COMPATIBILITY_RULES)[number];

/** Something that differs between two schemas, at a JSON pointer into the schema. */
export interface Finding {
  readonly rule: CompatibilityRule;
  readonly path: string;
  readonly message: string;
}

/** What a finding alone asks for: a new version, a refusal to say, or nothing yet. */
export type Consequence = 'new-version' | 'cannot-prove' | 'none';

export const CONSEQUENCES: Readonly<Record<CompatibilityRule, Consequence>> = {
  equal: 'none',
  'strictly-equal': 'none',
  'optional-member-added': 'none',
  // Containment shows these with a record, which says more.
  'required-member-added': 'none',
  narrowed: 'none',
  widened: 'none',
  incompatible: 'none',
  'member-clashes': 'none',
  'not-provable': 'none',
  'member-removed': 'new-version',
  'member-renamed': 'new-version',
  'default-changed': 'new-version',
  'absent-value-changed': 'new-version',
  'absent-value-invalid': 'new-version',
  'format-changed': 'new-version',
  'content-encoding-changed': 'new-version',
  'discriminator-changed': 'new-version',
  'member-unusable': 'new-version',
  'pattern-changed': 'cannot-prove',
  'unknown-keyword': 'cannot-prove',
  'undiscriminated-union': 'cannot-prove',
  'dialect-changed': 'cannot-prove',
};
