import { VERSION } from '../../common/program/version.ts'
import { type Text, text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { type Check, type Facts, type Finding, notKnown, ok, warn } from './check.ts'
import { installAgain } from './remedies.ts'

const LABEL = 'app.kubernetes.io/version'

/** Whether both programs and this plugin are of one version. */
export const versions: Check = { name: 'versions', needs: ['controller'], look }

async function look({ installation }: Facts): Promise<Finding> {
  const found: Text[] = []
  for (const deployment of [installation.deployments.controller, installation.deployments.webhook]) {
    if (deployment.is === 'unknown') return notKnown(text(deployment.because))
    if (deployment.is === 'absent') return notKnown(said`not both programs have a Deployment that says it`)
    found.push(text(deployment.value.metadata.labels?.[LABEL] ?? 'none'))
  }
  const [ofController = text('none'), ofWebhook = text('none')] = found
  const own = text(VERSION)
  if (ofController === own && ofWebhook === own) return ok(said`all are ${own}`)
  const seen = said`the controller is ${ofController}, the webhook ${ofWebhook}, this plugin ${own}`
  return warn(
    seen,
    ofController === ofWebhook
      ? said`Use the plugin of version ${ofController}, or install version ${own}. ${installAgain(installation)}`
      : installAgain(installation),
  )
}
