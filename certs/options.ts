import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Vars } from '../common/env.ts'
import type { Places } from './cluster.ts'

export const USAGE = `npm run certs -- [options]      makes or renews the webhook's certificate, without cert-manager

  --dry-run                       only ask the API server whether it would take every step
  --new-ca                        give the authority a new key, too
  --namespace NAME                of the Secrets; default: experiment-controller-system
  --configuration NAME            of both webhook configurations; default: experiment-deployment-controller
  --kubeconfig FILE               default: $KUBECONFIG, then ~/.kube/config
  --help

Needs get, create and update of secrets there, and get and patch of both webhook configurations.`

/** What was asked for. */
export interface Options {
  readonly isHelp: boolean
  readonly isDryRun: boolean
  readonly wantsNewCa: boolean
  readonly kubeconfig: string
  readonly places: Places
}

/** @throws Error that names the argument that it does not know */
export function readOptions(args: readonly string[], vars: Vars): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'new-ca': { type: 'boolean', default: false },
      namespace: { type: 'string', default: 'experiment-controller-system' },
      configuration: { type: 'string', default: 'experiment-deployment-controller' },
      kubeconfig: { type: 'string' },
    },
  })
  return {
    isHelp: values.help,
    isDryRun: values['dry-run'],
    wantsNewCa: values['new-ca'],
    kubeconfig: values.kubeconfig || vars.KUBECONFIG || join(vars.HOME ?? '', '.kube/config'),
    places: {
      namespace: values.namespace,
      configuration: values.configuration,
      leafSecret: 'experiment-webhook-tls',
      caSecret: 'experiment-webhook-ca',
    },
  }
}
