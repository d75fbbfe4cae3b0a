import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Vars } from '../common/program/env.ts'
import type { ObjectNames } from './cluster.ts'

/** The text that `--help` prints. */
export const USAGE = `npm run certs -- [options]      creates or renews the webhook's certificate, without cert-manager

  --dry-run                       write nothing; the API server checks every write
  --new-ca                        give the authority a new key as well
  --new-path                      replace the secret in the path that the API server calls; takes three minutes
  --path-env FILE                 only write the secret of the path to FILE, for manifests/path-secret
  --namespace NAME                namespace of the Secrets; default: experiment-controller-system
  --configuration NAME            name of both webhook configurations; default: experiment-deployment-controller
  --kubeconfig FILE               default: those in $KUBECONFIG, else ~/.kube/config; a pod needs none
  --help

Needs permission to get, create and update secrets in the namespace, and to get and patch both webhook configurations.`

/** The arguments of the script, decoded. */
interface Options {
  readonly isHelp: boolean
  readonly isDryRun: boolean
  readonly wantsNewCa: boolean
  readonly wantsNewPath: boolean
  /** the file to write instead of the cluster */
  readonly pathEnv: string | undefined
  /** undefined: the service account of this pod */
  readonly kubeconfig: string | undefined
  readonly objectNames: ObjectNames
}

/**
 * Reads the arguments of the script. The environment provides the default of `--kubeconfig`. As for kubectl, a pod that
 * has no kubeconfig uses its service account; `exists` says whether there is a file.
 * @throws Error that names an unknown argument
 */
export function readOptions(args: readonly string[], vars: Vars, exists = existsSync): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'new-ca': { type: 'boolean', default: false },
      'new-path': { type: 'boolean', default: false },
      'path-env': { type: 'string' },
      namespace: { type: 'string', default: 'experiment-controller-system' },
      configuration: { type: 'string', default: 'experiment-deployment-controller' },
      kubeconfig: { type: 'string' },
    },
  })
  const ownKubeconfig = join(vars.HOME ?? '', '.kube/config')
  const isPod = Boolean(vars.KUBERNETES_SERVICE_HOST) && !exists(ownKubeconfig)
  return {
    isHelp: values.help,
    isDryRun: values['dry-run'],
    wantsNewCa: values['new-ca'],
    wantsNewPath: values['new-path'],
    pathEnv: values['path-env'],
    kubeconfig: values.kubeconfig || vars.KUBECONFIG || (isPod ? undefined : ownKubeconfig),
    objectNames: {
      namespace: values.namespace,
      configuration: values.configuration,
      leafSecret: 'experiment-webhook-tls',
      caSecret: 'experiment-webhook-ca',
      pathSecret: 'experiment-webhook-path',
    },
  }
}
