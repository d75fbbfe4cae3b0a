import json from './expected.json' with { type: 'json' }

/** Whose rights: those of the account of the controller, or of the webhook. */
export type Account = 'controller' | 'webhook'

/** Where a right is given: in the namespace of the programs, in the one that is served, or everywhere. */
export type Place = 'system' | 'served' | 'cluster'

/** What an account may do with a resource. */
export interface ExpectedRule {
  readonly group: string
  /** with its subresource: `pods/status` */
  readonly resource: string
  /** absent: all names */
  readonly name?: string | undefined
  /** with spaces between them: `get list watch` */
  readonly verbs: string
}

/** The rules of each account. */
export type Granted = { readonly [A in Account]?: { readonly [P in Place]?: readonly ExpectedRule[] } }

/** A webhook of a configuration, without what installations change. */
export interface ExpectedWebhook {
  readonly name: string
  readonly failurePolicy: string
  readonly rules: readonly unknown[]
}

/** What a sound installation of this version has. `npm run generate` writes it into `expected.json`. */
export interface Expected {
  /** the hash of the spec of each CRD */
  readonly crds: Readonly<Record<string, string>>
  readonly webhooks: {
    readonly MutatingWebhookConfiguration: readonly ExpectedWebhook[]
    readonly ValidatingWebhookConfiguration: readonly ExpectedWebhook[]
  }
  /** of an installation for a whole cluster, and of one for a namespace */
  readonly rights: Readonly<
    Record<
      'cluster' | 'namespace',
      {
        readonly always: Granted
        /** by the variable of a component: what it adds */
        readonly components: Readonly<Record<string, Granted>>
      }
    >
  >
}

/** What a sound installation of this version has. */
export const EXPECTED: Expected = json
