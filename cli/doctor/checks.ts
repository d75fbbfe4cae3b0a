import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { accountPolicy } from './account-policy.ts'
import { certificate } from './certificate.ts'
import { type Check, type Facts, type Finding, notKnown } from './check.ts'
import { controller } from './controller.ts'
import { crds } from './crds.ts'
import { mutatingWebhook } from './mutating-webhook.ts'
import { permissions } from './permissions.ts'
import { scaledSources } from './scaled-sources.ts'
import { validatingWebhook } from './validating-webhook.ts'
import { versions } from './versions.ts'
import { webhookConfigurations } from './webhook-configurations.ts'

/** All checks. Each rests only on those before it. */
export const CHECKS: readonly Check[] = [
  crds,
  webhookConfigurations,
  validatingWebhook,
  mutatingWebhook,
  certificate,
  controller,
  versions,
  permissions,
  accountPolicy,
  scaledSources,
]

/** What a check of this name found. */
export interface CheckResult extends Finding {
  readonly name: string
}

/** Makes all of `checks` at once, each as soon as those are done on which it rests. */
export function examine(facts: Facts, checks: readonly Check[] = CHECKS): Promise<readonly CheckResult[]> {
  const made = new Map<string, Promise<Made>>()
  for (const check of checks) made.set(check.name, makeCheck(check, { facts, made }))
  return Promise.all([...made.values()].map(async (each) => (await each).found))
}

interface Made {
  readonly found: CheckResult
  /** whether what rests on it cannot say anything */
  readonly isBlocking: boolean
}

interface Under {
  readonly facts: Facts
  readonly made: ReadonlyMap<string, Promise<Made>>
}

async function makeCheck({ name, needs, look }: Check, { facts, made }: Under): Promise<Made> {
  for (const need of needs)
    if ((await made.get(need))?.isBlocking)
      return { found: { name, ...notKnown(said`needs ${text(need)}`) }, isBlocking: true }
  const finding = await look(facts)
  return { found: { name, ...finding }, isBlocking: finding.result === 'bad' }
}
