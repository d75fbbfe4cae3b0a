import { WRONG_OVERRIDE } from '../../common/override/rules.ts'
import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok } from './check.ts'
import { dryRun, namespaceOf } from './dry-run.ts'
import { nameOf } from './installation.ts'
import { installAgain, restart } from './remedies.ts'

/** Whether the webhook refuses an override that the schema of the kind does not allow. */
export const validatingWebhook: Check = { name: 'validating-webhook', needs: ['crds', 'webhook-configurations'], look }

async function look(facts: Facts): Promise<Finding> {
  const { installation } = facts
  const answer = await dryRun(facts, WRONG_OVERRIDE.overrideSpec)
  const where = text(namespaceOf(installation))
  switch (answer.is) {
    case 'admitted':
      return installation.configurations.ValidatingWebhookConfiguration.is === 'unknown'
        ? notKnown(said`nothing reviews experiments in ${where}; which namespace is served, could not be read`)
        : bad(said`nothing reviews experiments in ${where}`, installAgain(installation))
    case 'broken':
      return bad(text(answer.error.message), restart(nameOf('webhook'), installation))
    case 'refused': {
      const { causes = [], message } = answer.error
      return causes.some(({ field }) => field === WRONG_OVERRIDE.field)
        ? ok(said`refuses a wrong override in ${where}`)
        : notKnown(said`something else refuses experiments in ${where}: ${text(message)}`)
    }
    case 'unanswered':
      return notKnown(text(answer.error.message))
  }
}
