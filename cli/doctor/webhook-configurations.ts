import { at, isEqual, listOr } from '../../common/json/json.ts'
import { listed } from '../../common/text/list.ts'
import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok } from './check.ts'
import type { ExpectedWebhook } from './expected.ts'
import { configurationName, nameOf, webhooksOf } from './installation.ts'
import { installAgain, renewCertificate } from './remedies.ts'

/** Whether the API server is told to call the webhook, for the right requests. */
export const webhookConfigurations: Check = { name: 'webhook-configurations', needs: [], look }

async function look({ installation, expected }: Facts): Promise<Finding> {
  const { configurations, isByUrl, namespace } = installation
  const name = text(configurationName(installation))
  const problems: string[] = []
  let lacksAuthority = false
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const) {
    const found = configurations[kind]
    if (found.is === 'unknown') return notKnown(text(found.because))
    if (found.is === 'absent') problems.push(`there is no ${kind} ${name}`)
    const webhooks = found.is === 'known' ? webhooksOf(found.value) : []
    if (found.is === 'known') problems.push(...expected.webhooks[kind].flatMap((each) => wrongIn(webhooks, each)))
    if (webhooks.some((each) => callsElsewhere(each, namespace)))
      problems.push(`${kind} ${name} calls another Service than that of ${namespace}`)
    lacksAuthority ||= webhooks.some(
      (each) => at(each, 'clientConfig', 'service') && !at(each, 'clientConfig', 'caBundle'),
    )
  }
  if (problems.length > 0) return bad(text(listed(problems)), installAgain(installation))
  if (lacksAuthority) return bad(said`${name} has no caBundle yet`, renewCertificate(installation))
  return ok(
    isByUrl ? said`both are there; they call the webhook by its address` : said`both are there, and call the Service`,
  )
}

/** What of a webhook is not as this version has it. */
function wrongIn(webhooks: readonly unknown[], { name, failurePolicy, rules }: ExpectedWebhook): readonly string[] {
  const found = webhooks.find((each) => at(each, 'name') === name)
  if (found === undefined) return [`${name} is missing`]
  return [
    ...(at(found, 'failurePolicy') === failurePolicy
      ? []
      : [`${name} has another failurePolicy than ${failurePolicy}`]),
    ...(isEqual(listOr(at(found, 'rules')), rules) ? [] : [`${name} has other rules`]),
  ]
}

function callsElsewhere(webhook: unknown, namespace: string): boolean {
  const service = at(webhook, 'clientConfig', 'service')
  return service !== undefined && (at(service, 'namespace') !== namespace || at(service, 'name') !== nameOf('webhook'))
}
