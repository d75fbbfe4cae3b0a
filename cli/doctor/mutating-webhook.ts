import { knownValue } from '../../common/api/known.ts'
import { REQUESTED_BY } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok } from './check.ts'
import { dryRun, namespaceOf } from './dry-run.ts'
import { type Installation, nameOf, webhooksOf } from './installation.ts'
import { installAgain, renewCertificate, restart } from './remedies.ts'

/** Whether the webhook notes who asks for an experiment. */
export const mutatingWebhook: Check = {
  name: 'mutating-webhook',
  needs: ['crds', 'webhook-configurations', 'validating-webhook'],
  look,
}

async function look(facts: Facts): Promise<Finding> {
  const { installation } = facts
  const answer = await dryRun(facts, {})
  const where = text(namespaceOf(installation))
  switch (answer.is) {
    case 'admitted':
      if (at(answer.object, 'metadata', 'annotations', REQUESTED_BY) !== undefined)
        return ok(said`notes who asks for an experiment in ${where}`)
      return installation.configurations.MutatingWebhookConfiguration.is === 'unknown'
        ? notKnown(
            said`nobody notes who asks for an experiment in ${where}; which namespace is served, could not be read`,
          )
        : bad(said`nobody notes who asks for an experiment in ${where}`, remedyOf(installation))
    case 'broken':
      return bad(text(answer.error.message), restart(nameOf('webhook'), installation))
    case 'refused':
      return notKnown(said`something refuses experiments in ${where}: ${text(answer.error.message)}`)
    case 'unanswered':
      return notKnown(text(answer.error.message))
  }
}

/** The API server goes on without an answer, so that it also goes on where it does not trust the certificate. */
function remedyOf(installation: Installation) {
  const { MutatingWebhookConfiguration: mutating, ValidatingWebhookConfiguration: validating } =
    installation.configurations
  const [one, other] = [mutating, validating].map((each) =>
    at(webhooksOf(knownValue(each))[0], 'clientConfig', 'caBundle'),
  )
  return one !== other && !installation.isByUrl ? renewCertificate(installation) : installAgain(installation)
}
